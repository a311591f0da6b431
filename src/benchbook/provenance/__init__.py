"""Where a number comes from: the code, the machine, the timer; no host names, no paths, no secrets."""

from benchbook.provenance.code import code, committed, on_stderr
from benchbook.provenance.history import Introduced, absent, introduced, state, states, whole_history
from benchbook.provenance.host import host, machine, timer_cost_ns

__all__ = [
    "Introduced", "absent", "code", "committed", "host", "introduced", "machine", "on_stderr", "state", "states",
    "timer_cost_ns", "whole_history",
]  # fmt: skip
