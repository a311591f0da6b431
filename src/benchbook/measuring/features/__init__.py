"""Look-ups over many tables of PostgreSQL: a door to what chapters use of it."""

from benchbook.engines import cores
from benchbook.engines.postgres import Cluster, counters, find, identity, private_cluster, sessions
from benchbook.measuring.features import bounded, clients, dataset, window
from benchbook.measuring.features.bench import Bench, needs, session, session_of
from benchbook.measuring.features.client import Asked, Client
from benchbook.measuring.features.keys import Requests, arm, hot_share, neighbours, requests
from benchbook.measuring.features.layout import Layout
from benchbook.measuring.features.loaded import LoadedTables, Tables
from benchbook.measuring.features.made import FEATURES, Data, Made, counted, made
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
)  # fmt: skip
from benchbook.measuring.features.summary import differences as note_differences
from benchbook.measuring.features.surroundings import Surroundings, surrounded, usable
from benchbook.measuring.features.window import reduce
from benchbook.measuring.postgres import Loaded, extend
from benchbook.measuring.samples import reduced, subsample

__all__ = [
    "ALIKE", "FEATURES", "LEAST_READS", "METRICS", "MS", "NETWORK_MS", "NS_PER_MS", "OF_CLIENTS", "OWN", "PAGE_BYTES",
    "QUANTILES", "READS", "REQUESTS", "Asked", "Bench", "Client", "Cluster", "Data", "Features", "Layout", "Loaded",
    "LoadedTables", "Made", "Requests", "Summary", "Surroundings", "Tables", "arm", "average", "bounded", "by_arm",
    "clients", "cores", "counted", "counters", "dataset", "extend", "find", "hot_share", "identity", "later_run",
    "made", "needs", "neighbours", "note_differences", "noted", "nothing_loaded", "private_cluster", "quantiles",
    "reduce", "reduced", "requests", "same_reads", "session", "session_of", "sessions", "states", "subsample",
    "surrounded", "usable", "window",
]  # fmt: skip
