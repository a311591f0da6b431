"""Plans executed as runs: the only place where time passes."""

from benchbook.runner.progress import Progress
from benchbook.runner.running import made_here, measured_now, passed_over, run

__all__ = ["Progress", "made_here", "measured_now", "passed_over", "run"]
