"""Estimates, effects, labels and gates from arrays of per-trial values. No file is read, nothing is printed."""

from benchbook.statistics.best_of_some import best_over_best
from benchbook.statistics.certificate import CacheState, cache_state, warmed_share
from benchbook.statistics.effects import (
    difference,
    equivalence,
    many_to_one,
    median_ratio,
    ratio,
    ratio_unblocked,
    shares_difference,
)  # fmt: skip
from benchbook.statistics.estimates import (
    arithmetic_mean,
    exact,
    geometric_mean,
    geometric_sd,
    median,
    share,
    share_of_trials,
    wilson,
)  # fmt: skip
from benchbook.statistics.gates import AA_CONFIDENCE, Gate, aa_gate, canary_spread, littles_ratio, steady_gate
from benchbook.statistics.inputs import VISITS
from benchbook.statistics.movement import Movement, movement, quiet_level
from benchbook.statistics.multiplicity import Decided, Multiplicity, expected_false, holm, one_sided_error
from benchbook.statistics.order import autocorrelation, autocorrelation_bound, drift
from benchbook.statistics.permutation import arms_apart, first_apart
from benchbook.statistics.planning import (
    blocks_for,
    blocks_for_half_width,
    half_width,
    minimum_detectable,
    predicted,
)  # fmt: skip
from benchbook.statistics.scalability import Scalability, scalability
from benchbook.statistics.shapes import cliff, cliff_second, dip
from benchbook.statistics.steady import Steadiness, steady_state
from benchbook.statistics.timelines import stationary_mean
from benchbook.statistics.totals import ratio_of_totals
from benchbook.statistics.trials import describe, estimable, note_quantile, quantile
from benchbook.statistics.variance import decompose, sd_interval, spread_ratio, trial_variance
from benchbook.statistics.visits import widened

__all__ = [
    "AA_CONFIDENCE", "VISITS", "CacheState", "Decided", "Gate", "Movement", "Multiplicity",
    "Scalability", "Steadiness", "aa_gate", "arithmetic_mean", "arms_apart", "autocorrelation",
    "autocorrelation_bound", "best_over_best", "blocks_for", "blocks_for_half_width", "cache_state",
    "canary_spread", "cliff", "cliff_second", "decompose", "describe", "difference", "dip", "drift",
    "equivalence", "estimable", "exact", "expected_false", "first_apart", "geometric_mean", "geometric_sd",
    "half_width", "holm", "littles_ratio", "many_to_one", "median", "median_ratio", "minimum_detectable",
    "movement", "note_quantile", "one_sided_error", "predicted", "quantile",
    "quiet_level", "ratio", "ratio_of_totals", "ratio_unblocked", "scalability", "sd_interval", "share",
    "share_of_trials", "shares_difference", "spread_ratio", "stationary_mean", "steady_gate", "steady_state",
    "trial_variance", "warmed_share", "widened", "wilson",
]  # fmt: skip
