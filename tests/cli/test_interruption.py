"""A signal ends a command as an interruption, even where a library makes an error of its own out of it."""

from __future__ import annotations

import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from benchbook import lab, store
from benchbook.cli.progress import RunProgress, interruptible

SIGNALS = [signal.SIGINT, signal.SIGTERM]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_an_interruption(number: signal.Signals) -> None:
    with pytest.raises(KeyboardInterrupt), interruptible():
        signal.raise_signal(number)


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
    assert benchbook("run", "hot_cold_keys", "-f", tiny).exit_code == 130


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
