"""Where a number comes from: the code, the machine, the timer; no host names, no paths, no secrets."""

from benchbook.provenance.code import code, measurement_sha256
from benchbook.provenance.history import state, states
from benchbook.provenance.host import host, timer_cost_ns

__all__ = ["code", "host", "measurement_sha256", "state", "states", "timer_cost_ns"]
