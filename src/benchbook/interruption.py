"""One orderly way out of whatever is being done after Ctrl-C, SIGTERM or SIGHUP, however often the signal comes."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from types import FrameType

SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
"""SIGHUP comes when a terminal is closed, and is ignored under ``nohup``."""
_ENDED_BY = 128
"""What shells add to the number of the signal that ended a program."""
_AGAIN_S, _PATIENCE_S = 1.0, 20.0

_Handler = Callable[[int, FrameType | None], None]


class _Program:
    """What is known of this process. taken: its signals are ours. stopped: by a signal. first: that signal."""

    taken = False
    stopped = False
    first = int(signal.SIGINT)


class _Block:
    came = False


_blocks: list[_Block] = []


def take() -> None:
    """Let each signal end this process at once with one sentence, until ``interruptible`` says otherwise.

    For the first line of a program. A signal that the process was started to ignore stays ignored.
    """
    _Program.taken = True
    keep_out_of_destructors()
    for number in _answered():
        signal.signal(number, _end)


def keep_out_of_destructors() -> None:
    """Say nothing of an interruption that meets a destructor, which Python tells and forgets: it is repeated anyway.

    Nor, once there was one, of a destructor that misses a part of its object: making it was what was interrupted.
    """
    sys.unraisablehook = _hook


def broken_off() -> None:
    """Remember that this process was interrupted, where its signals are handled elsewhere."""
    _Program.stopped = True


def let_end() -> None:
    """Leave the rest to the interpreter's own tidying up, and ignore the signals meanwhile.

    After an interruption it is given some time only: a thread that a library left behind could keep it for ever.
    """
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if _Program.stopped:
        patience = threading.Timer(_PATIENCE_S, os._exit, (exit_code(),))
        patience.daemon = True
        patience.start()


def exit_code() -> int:
    """Exit code of a program that was stopped: 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP."""
    return _ENDED_BY + _Program.first


@contextmanager
def at_once() -> Iterator[None]:
    """While libraries are loaded, let a signal end the program at once: there is nothing yet to put in order.

    A library that is interrupted at its import may make an error of its own out of it, or nothing. Where the signals
    are not ours, as in a test or a notebook, nothing changes.
    """
    with _handled_by(_end) if _Program.taken else nullcontext():
        yield


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Turn any of the signals into a KeyboardInterrupt, so that the block tidies up on its way out.

    What it gives says whether a signal came.

    While an interruption is on its way out, another one changes nothing: it would break off the tidying up. One that a
    library swallowed is repeated until it gets through. Where a library turns it into an error of its own (a query cut
    short, a pipe that broke), whatever Exception leaves the block after a signal counts as the interruption.
    """
    block = _Block()
    if not _blocks:
        _Program.stopped, _Program.first = False, int(signal.SIGINT)
    with _reminded(), _handled_by(_interrupt):
        _blocks.append(block)
        try:
            yield lambda: block.came
        except Exception as error:
            if block.came:
                raise KeyboardInterrupt from error
            raise
        finally:
            _blocks.remove(block)


@contextmanager
def held() -> Iterator[None]:
    """Let no signal interrupt the block; one that came takes effect at its end."""
    came: list[int] = []
    try:
        with _handled_by(lambda number, frame: came.append(number)):
            yield
    finally:
        if came:
            signal.raise_signal(came[0])


@contextmanager
def kept_from_children() -> Iterator[None]:
    """The same, and processes that are started in the block start with the signals blocked.

    A terminal sends Ctrl-C to children too, and an interpreter that is still starting answers it with a traceback.
    """
    with held():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def under_way() -> bool:
    """Whether this thread is on its way out of an interruption, and so is tidying up."""
    error = sys.exception()
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__context__
    return False


def _end(number: int, frame: FrameType | None) -> None:
    if under_way():
        return
    with suppress(OSError):
        os.write(2, b"stopped\n")
    os._exit(_ENDED_BY + number)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if not any(block.came for block in _blocks):
        _Program.stopped, _Program.first = True, int(number)
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_S, _AGAIN_S)
    for block in _blocks:
        block.came = True
    if not under_way():
        raise KeyboardInterrupt


def _remind(number: int, frame: FrameType | None) -> None:
    if signal.getsignal(_Program.first) is _interrupt and not under_way():
        raise KeyboardInterrupt


@contextmanager
def _reminded() -> Iterator[None]:
    """Until the end of the outermost block."""
    if _blocks or not _may_be_set():
        yield
        return
    before = signal.signal(signal.SIGALRM, _remind)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _handled_by(handler: _Handler) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in _answered()}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def _answered() -> list[signal.Signals]:
    """The signals that may be given a handler: by the main thread, and unless the starter of this process ignores them,
    as a shell does for what it runs in the background."""
    if not _may_be_set():
        return []
    return [number for number in SIGNALS if signal.getsignal(number) not in (signal.SIG_IGN, None)]


def _may_be_set() -> bool:
    return threading.current_thread() is threading.main_thread()


def _hook(unraisable: sys.UnraisableHookArgs) -> None:
    half_made = _Program.stopped and issubclass(unraisable.exc_type, AttributeError)
    if not half_made and not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
