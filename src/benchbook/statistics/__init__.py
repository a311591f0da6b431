"""Arrays of per-trial values go in; estimates, effects, labels and gates come out. No file is read, nothing printed."""

from benchbook.statistics.adjust import benjamini_hochberg, holm, p_value
from benchbook.statistics.certificate import CacheState, cache_state, warmed_share
from benchbook.statistics.effects import difference, many_to_one, ratio, ratio_unblocked, shares_difference
from benchbook.statistics.equivalence import equivalence, equivalent
from benchbook.statistics.estimates import arithmetic_mean, exact, geometric_mean, geometric_sd, median, share, wilson
from benchbook.statistics.gates import Gate, aa_gate, client_cost, counts_agree, environment, littles_law
from benchbook.statistics.planning import blocks_for_half_width, blocks_to_decide, half_width, predicted
from benchbook.statistics.shapes import Cliff, cliff, cliff_second, dip
from benchbook.statistics.timelines import stationary_mean
from benchbook.statistics.trials import describe, estimable, note_quantile, quantile

__all__ = [
    "CacheState",
    "Cliff",
    "Gate",
    "aa_gate",
    "arithmetic_mean",
    "benjamini_hochberg",
    "blocks_for_half_width",
    "blocks_to_decide",
    "cache_state",
    "client_cost",
    "cliff",
    "cliff_second",
    "counts_agree",
    "describe",
    "difference",
    "dip",
    "environment",
    "equivalence",
    "equivalent",
    "estimable",
    "exact",
    "geometric_mean",
    "geometric_sd",
    "half_width",
    "holm",
    "littles_law",
    "many_to_one",
    "median",
    "note_quantile",
    "p_value",
    "predicted",
    "quantile",
    "ratio",
    "ratio_unblocked",
    "share",
    "shares_difference",
    "stationary_mean",
    "warmed_share",
    "wilson",
]
