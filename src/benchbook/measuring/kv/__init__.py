"""Key-value stores and indexes behind one probe: a door to what chapters use of it."""

from benchbook.engines.probe import Answer
from benchbook.measuring.kv import note
from benchbook.measuring.kv.bench import Asked, Probing, Reading
from benchbook.measuring.kv.checks import compared
from benchbook.measuring.kv.metric_words import METRICS
from benchbook.measuring.kv.metrics import lookups_made, mean_ns, memtable_rows
from benchbook.measuring.kv.options import AFTER, BEFORE, ENGINE, MIB, Options
from benchbook.measuring.kv.parameters import TurnParameters
from benchbook.measuring.kv.requests import Request, request
from benchbook.measuring.kv.summary import Summary
from benchbook.measuring.kv.words import in_turns
from benchbook.measuring.samples import reduce

__all__ = [
    "AFTER", "BEFORE", "ENGINE", "METRICS", "MIB", "Answer", "Asked", "Options", "Probing", "Reading", "Request",
    "Summary", "TurnParameters", "compared", "in_turns", "lookups_made", "mean_ns", "memtable_rows", "note", "reduce",
    "request",
]  # fmt: skip
