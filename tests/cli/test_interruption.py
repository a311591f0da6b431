"""A signal ends a command as an interruption, even where a library makes an error of its own out of it."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchbook import lab, store
from benchbook.cli.progress import RunProgress
from benchbook.interruption import held, interruptible, kept_from_children

SIGNALS = [signal.SIGHUP, signal.SIGINT, signal.SIGTERM]


@pytest.fixture(autouse=True)
def hangups_end_programs() -> Iterator[None]:
    """Also where the tests run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", SIGNALS)
def test_an_error_that_a_library_makes_of_it_is_still_the_interruption(number: signal.Signals) -> None:
    def library() -> None:
        try:
            signal.raise_signal(number)
        except KeyboardInterrupt:
            raise ConnectionError("the pipeline was cut short") from None

    with pytest.raises(KeyboardInterrupt) as caught, interruptible():
        library()
    assert isinstance(caught.value.__cause__, ConnectionError)


def test_an_error_on_the_way_out_through_the_block_around_is_still_the_interruption() -> None:
    def count_what_is_stored() -> None:
        try:
            with interruptible():
                signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise OSError("the folder of the runs is gone") from None

    with pytest.raises(KeyboardInterrupt) as caught, interruptible():
        count_what_is_stored()
    assert isinstance(caught.value.__cause__, OSError)


@pytest.mark.parametrize("number", SIGNALS)
def test_the_program_ends_as_interrupted_even_where_what_is_stored_cannot_be_counted(
    home: Path, benchbook: Any, tiny: str, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    def gone(*_: Any) -> None:
        raise OSError("the folder of the runs is gone")

    monkeypatch.setattr(lab, "obtain", lambda *_, **__: signal.raise_signal(number))
    monkeypatch.setattr(store, "find_unfinished", gone)
    assert benchbook("run", "hot_cold_keys", "-f", tiny).exit_code == 128 + number


def test_a_signal_that_a_library_swallows_ends_the_run_before_its_next_trial() -> None:
    progress = RunProgress("an experiment", quiet=True)
    with interruptible() as came:
        progress.stop_when(came)
        progress.trial(0, 2, "one", None)
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            progress.trial(1, 2, "two", None)


def test_an_error_without_a_signal_stays_what_it_is() -> None:
    with pytest.raises(ConnectionError), interruptible():
        raise ConnectionError("the server went away")


def test_afterwards_signals_mean_what_they_meant_before() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with pytest.raises(KeyboardInterrupt), interruptible(), interruptible():
        signal.raise_signal(signal.SIGTERM)
    assert [signal.getsignal(number) for number in SIGNALS] == before


@contextmanager
def tidied(done: list[str], *, meanwhile: Callable[[], None]) -> Iterator[None]:
    """What ends in order: the signals that come meanwhile must not break it off."""
    try:
        yield
    finally:
        meanwhile()
        done.append("a server")
        with suppress(FileNotFoundError):
            meanwhile()
            raise FileNotFoundError
        done.append("its folder")


@pytest.mark.parametrize("number", SIGNALS)
def test_a_second_and_a_third_signal_break_off_no_tidying_up(number: signal.Signals) -> None:
    done: list[str] = []
    again = partial(signal.raise_signal, number)
    with pytest.raises(KeyboardInterrupt), interruptible(), tidied(done, meanwhile=again):
        signal.raise_signal(signal.SIGINT)
    assert done == ["a server", "its folder"]


def test_a_signal_that_a_library_swallows_is_repeated_until_it_gets_through() -> None:
    def library() -> None:
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        threading.Event().wait(300)
        pytest.fail("it went on")

    with pytest.raises(KeyboardInterrupt), interruptible():
        library()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_signal_waits_for_what_must_not_be_broken_off() -> None:
    done = []

    def rename() -> None:
        signal.raise_signal(signal.SIGINT)
        done.append("renamed")

    with pytest.raises(KeyboardInterrupt), interruptible(), held():
        rename()
    assert done == ["renamed"]


def test_a_process_that_is_being_started_is_not_reached_and_its_parent_is() -> None:
    program = "import signal; print(*sorted(int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, ())))"
    blocked = []

    def start() -> None:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        blocked.append(done.stdout.split())
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt), interruptible(), kept_from_children():
        start()
    assert blocked == [[str(int(number)) for number in SIGNALS]]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_that_is_ignored_stays_ignored(number: signal.Signals) -> None:
    before = signal.signal(number, signal.SIG_IGN)
    try:
        with interruptible() as came:
            signal.raise_signal(number)
        assert not came()
    finally:
        signal.signal(number, before)


LOADING = """
import os, signal, sys
number, library = int(sys.argv.pop(1)), sys.argv.pop(1)
class Meanwhile:
    def find_spec(self, name, path=None, target=None):
        if name == library:
            os.kill(os.getpid(), number)
sys.meta_path.insert(0, Meanwhile())
from benchbook.cli import main
main()
"""


@pytest.mark.xdist_group("machine")  # after tests that leave a volume behind, which any command would clear and tell
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("library", ["typer", "pyarrow"], ids=["of every command", "of one command"])
def test_a_signal_while_libraries_are_loaded_ends_the_program_in_a_word(library: str, number: signal.Signals) -> None:
    command = [sys.executable, "-c", LOADING, str(int(number)), library, "verify"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", "stopped\n")


BEGINNING = """
import os, signal, sys
wanted = int(sys.argv.pop(1))
class Meanwhile:
    seen = []
    def find_spec(self, name, path=None, target=None):
        self.seen.append(name)
        if len(self.seen) == wanted:
            os.kill(os.getpid(), signal.SIGINT)
import benchbook.__main__
sys.meta_path.insert(0, Meanwhile())
try:
    benchbook.__main__.main()
finally:
    sys.stderr.write(" ".join(Meanwhile.seen))
"""


def test_ctrl_c_before_the_program_can_answer_ends_it_without_a_traceback() -> None:
    command = [sys.executable, "-c", BEGINNING]
    counted = subprocess.run([*command, "-1", "--version"], capture_output=True, text=True, check=True)
    names = counted.stderr.split()
    first = names.index("benchbook.interruption") + 1
    assert any(name.startswith("typer") for name in names[first:])
    for moment in range(1, first + 4):
        done = subprocess.run([*command, str(moment), "--version"], capture_output=True, text=True, check=False)
        assert done.returncode in (-signal.SIGINT, 128 + signal.SIGINT), moment
        assert (done.stdout, done.stderr) in (("", ""), ("", "stopped\n")), moment


HALF_MADE = """
import asyncio, sys
from benchbook import interruption
interruption.keep_out_of_destructors()
class Loop(asyncio.SelectorEventLoop):
    def _make_self_pipe(self):
        if "interrupted" in sys.argv:
            interruption.broken_off()
        raise KeyboardInterrupt
try:
    Loop()
except KeyboardInterrupt:
    pass
"""


def test_what_was_interrupted_while_it_was_made_is_thrown_away_without_a_word() -> None:
    """An event loop looks in its destructor for pipes that it did not get to open."""
    said = [
        subprocess.run([sys.executable, "-c", HALF_MADE, *words], capture_output=True, text=True, check=True).stderr
        for words in ((), ("interrupted",))
    ]
    assert "AttributeError" in said[0], "without an interruption it is a mistake that somebody should see"
    assert said[1] == ""
