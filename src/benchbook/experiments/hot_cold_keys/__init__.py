"""Do hot keys explain the latency that note 000 blames on the database?"""

from benchbook.experiments.hot_cold_keys.arms import plan
from benchbook.experiments.hot_cold_keys.measure import needs, session
from benchbook.experiments.hot_cold_keys.parameters import Parameters
from benchbook.experiments.hot_cold_keys.reduction import reduce

NAME = "hot_cold_keys"
TITLE = "Hot versus cold keys"
MEASUREMENT_VERSION = 1

__all__ = ["MEASUREMENT_VERSION", "NAME", "TITLE", "Parameters", "needs", "plan", "reduce", "session"]
