import math

import numpy as np
import pytest

from benchbook.errors import BenchbookError
from benchbook.model import Effect
from benchbook.statistics import (
    AA_CONFIDENCE,
    Steadiness,
    aa_gate,
    canary_spread,
    littles_ratio,
    ratio,
    steady_gate,
)


def test_littles_law_holds_for_the_first_run_of_the_c8gb_note():
    assert littles_ratio(100, 21_199, 4.69e6) == pytest.approx(0.9942, abs=1e-4)


@pytest.mark.parametrize(
    ("low", "high", "scale", "passed"),
    [
        (0.98, 1.02, "ratio", True),
        (1.0, 1.02, "ratio", True),
        (1.01, 1.02, "ratio", False),
        (-0.1, 0.1, "difference", True),
        (0.9, 1.1, "difference", False),
    ],
)
def test_the_baseline_against_itself_must_contain_the_same(low, high, scale, passed):
    effect = Effect((low + high) / 2, low, high, 6, "Student t", AA_CONFIDENCE, scale)
    gate = aa_gate(effect)
    assert gate.passed is passed
    assert gate.value == (low + high) / 2
    assert f"which {'contains' if passed else 'misses'} {1 if scale == 'ratio' else 0}" in gate.reason


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.98])
def test_an_a_a_interval_of_less_than_99_percent_is_refused(confidence):
    with pytest.raises(BenchbookError, match=f"got a {confidence:.0%} interval where 99% is required") as caught:
        aa_gate(Effect(1.0, 0.99, 1.01, 6, "Student t", confidence))
    assert caught.value.mend
    assert aa_gate(Effect(1.0, 0.99, 1.01, 6, "Student t", 0.995)).passed, "more than asked is no less"
    assert aa_gate(Effect(1.0, 1.0, 1.0, 6, "all values equal", confidence)).passed, "equal counts have no width"


def test_a_sound_baseline_misses_itself_once_in_a_hundred():
    generator = np.random.default_rng(8)
    pairs = np.exp(0.05 * generator.standard_normal((2_000, 2, 6)))
    passed = [aa_gate(ratio(again, first, confidence=AA_CONFIDENCE)).passed for again, first in pairs]
    assert 0.983 <= np.mean(passed) <= 0.997


@pytest.mark.parametrize(("steady", "unsteady", "passed"), [(8, 2, True), (7, 3, False), (1, 0, True), (0, 1, False)])
def test_four_fifths_of_the_trials_must_have_a_steady_state(steady, unsteady, passed):
    kinds = [Steadiness.WARM_UP] * steady + [Steadiness.NONE] * unsteady
    gate = steady_gate(kinds)
    assert gate.passed is passed
    assert gate.value == steady / (steady + unsteady)
    assert f"{steady} of {steady + unsteady} trials" in gate.reason


@pytest.mark.parametrize("kind", [kind for kind in Steadiness if kind is not Steadiness.NONE])
def test_every_kind_but_none_is_a_steady_state(kind):
    assert steady_gate([kind]).passed
    assert steady_gate([str(kind)]).passed  # as a stored table gives it


def test_the_canarys_spread_holds_most_steps_of_a_quiet_machine_as_surely_as_it_says():
    generator = np.random.default_rng(6)
    held = []
    for _ in range(1_000):
        spread = canary_spread(np.exp(0.02 * generator.standard_normal(40)))
        beyond = 2 * (1 - 0.5 * (1 + math.erf(math.log1p(spread) / (0.02 * math.sqrt(2)) / math.sqrt(2))))
        held.append(beyond <= 0.05)
    assert 0.93 <= np.mean(held) <= 0.97


def test_one_wild_reading_widens_the_spread():
    readings = np.exp(0.02 * np.random.default_rng(9).standard_normal(40))
    wild = readings.copy()
    wild[11] *= 3
    assert canary_spread(wild) > 3 * canary_spread(readings)
    assert canary_spread(np.r_[readings, 500.0]) == canary_spread(readings)  # an odd last one has no partner
