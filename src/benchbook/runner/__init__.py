"""Plans executed as runs: the only place where time passes."""

from benchbook.runner.experiment import Experiment, Session
from benchbook.runner.progress import Progress, Quiet
from benchbook.runner.running import made_here, measured_now, passed_over, run

__all__ = ["Experiment", "Progress", "Quiet", "Session", "made_here", "measured_now", "passed_over", "run"]
