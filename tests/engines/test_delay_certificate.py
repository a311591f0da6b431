"""What a measured round trip may differ from the one that was asked for."""

from contextlib import ExitStack

import busy
import pytest
from near_server import Server

from benchbook.engines import delay
from benchbook.engines.delay import certificate
from benchbook.errors import MachineError


@pytest.mark.usefixtures("delay_built")
def test_a_trip_that_the_machine_does_not_give_is_refused(server: Server) -> None:
    with ExitStack() as stack:
        with busy.allowed():
            proxy = stack.enter_context(delay.proxied(server.folder, round_trip_ms=0))
        with pytest.raises(MachineError, match=r"a round trip of 50 ms was asked for, and \d.*quieter machine"):
            certificate.certified(50, proxy.folder / "echo", proxy.folder / "echo-delayed", lambda hold_ns: None)


@pytest.mark.parametrize(
    ("asked_ms", "measured_ms", "within"),
    [(0, 0.09, True), (0, 0.11, False), (0.25, 0.34, True), (0.25, 0.14, False), (20, 23.9, True), (20, 24.1, False)],
)
def test_a_trip_is_within_a_fifth_or_a_tenth_of_a_millisecond(
    asked_ms: float, measured_ms: float, within: bool
) -> None:
    assert delay.Certificate(asked_ms, measured_ms, measured_ms, 10, 20, 50, 1).within is within
