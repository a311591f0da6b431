"""A signal ends a command as an interruption, even where a library makes an error of its own out of it."""

from __future__ import annotations

import signal

import pytest

from benchbook.cli.progress import interruptible

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


def test_an_error_without_a_signal_stays_what_it_is() -> None:
    with pytest.raises(ConnectionError), interruptible():
        raise ConnectionError("the server went away")


def test_afterwards_signals_mean_what_they_meant_before() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with pytest.raises(KeyboardInterrupt), interruptible(), interruptible():
        signal.raise_signal(signal.SIGTERM)
    assert [signal.getsignal(number) for number in SIGNALS] == before
