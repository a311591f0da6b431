"""Look-ups over many tables of PostgreSQL: a door to what chapters use of it."""

from benchbook.engines.postgres import counters, identity, sessions
from benchbook.measuring.features import bounded, clients
from benchbook.measuring.features.bench import Bench, needs, session, session_of
from benchbook.measuring.features.client import Client
from benchbook.measuring.features.keys import arm, hot_share, neighbours
from benchbook.measuring.features.made import FEATURES, Data, made
from benchbook.measuring.features.metric_words import METRICS, MS, OF_CLIENTS
from benchbook.measuring.features.parameters import ALIKE, OWN, PAGE_BYTES, Features
from benchbook.measuring.features.summary import (
    LEAST_READS,
    NETWORK_MS,
    NS_PER_MS,
    QUANTILES,
    READS,
    REQUESTS,
    Summary,
    average,
    by_arm,
    later_run,
    noted,
    nothing_loaded,
    quantiles,
    same_reads,
    states,
    tails,
)  # fmt: skip
from benchbook.measuring.features.summary import differences as note_differences
from benchbook.measuring.features.surroundings import Surroundings, usable
from benchbook.measuring.features.window import reduce
from benchbook.measuring.postgres import Loaded

__all__ = [
    "ALIKE", "FEATURES", "LEAST_READS", "METRICS", "MS", "NETWORK_MS", "NS_PER_MS", "OF_CLIENTS", "OWN", "PAGE_BYTES",
    "QUANTILES", "READS", "REQUESTS", "Bench", "Client", "Data", "Features", "Loaded",
    "Summary", "Surroundings", "arm", "average", "bounded", "by_arm",
    "clients", "counters", "hot_share", "identity", "later_run",
    "made", "needs", "neighbours", "note_differences", "noted", "nothing_loaded", "quantiles",
    "reduce", "same_reads", "session", "session_of", "sessions", "states", "tails", "usable",
]  # fmt: skip
