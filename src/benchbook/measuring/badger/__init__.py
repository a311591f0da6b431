"""Badger's event suite and look-ups in filled stores: a door to what chapters use of them."""

from benchbook.engines.badger import Build, find, identity
from benchbook.measuring.badger import lookups, notes, reports, storage
from benchbook.measuring.badger.bench import Bench, Measured, Trials, builds, needs, ready
from benchbook.measuring.badger.metric_words import METRICS
from benchbook.measuring.badger.metrics import Metrics, difference, latencies, per, saves
from benchbook.measuring.badger.parameters import Bursts, LookedUp, OneRound, Stored
from benchbook.measuring.badger.request import PHASES, arm, request_of
from benchbook.measuring.badger.summary import Summary
from benchbook.measuring.samples import reduce

__all__ = [
    "METRICS", "PHASES", "Bench", "Build", "Bursts", "LookedUp", "Measured", "Metrics", "OneRound", "Stored", "Summary",
    "Trials", "arm", "builds", "difference", "find", "identity", "latencies", "lookups", "needs", "notes", "per",
    "ready", "reduce", "reports", "request_of", "saves", "storage",
]  # fmt: skip
