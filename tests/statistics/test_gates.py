import pytest

from benchbook.errors import BenchbookError
from benchbook.model import Effect
from benchbook.statistics import aa_gate, client_cost, counts_agree, environment, littles_law


def test_littles_law_holds_for_the_first_run_of_the_c8gb_note():
    gate = littles_law(100, 21_199, 4.69e6)
    assert gate.passed
    assert gate.value == pytest.approx(0.9942, abs=1e-4)
    assert "99.42 clients" in gate.reason


@pytest.mark.parametrize(
    ("latency_ns", "passed"), [(1.0199e9, True), (1.021e9, False), (0.9801e9, True), (0.979e9, False)]
)
def test_littles_law_allows_two_percent(latency_ns, passed):
    assert littles_law(8, 8, latency_ns).passed is passed


@pytest.mark.parametrize("numbers", [(0, 1, 1), (1, 0, 1), (1, 1, float("nan")), (1, float("inf"), 1)])
def test_littles_law_without_load_is_refused(numbers):
    with pytest.raises(BenchbookError):
        littles_law(*numbers)


def test_counts_agree_or_the_gate_says_by_how_many_they_do_not():
    assert counts_agree(10_000, 10_000).passed
    gate = counts_agree(10_000, 9_998)
    assert not gate.passed
    assert gate.value == -2
    with pytest.raises(BenchbookError):
        counts_agree(-1, 5)


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
    effect = Effect((low + high) / 2, low, high, 6, "Student t", 0.95, scale)
    assert aa_gate(effect).passed is passed


def test_the_clients_own_cost_is_flagged_above_a_fifth():
    assert client_cost(20, 100).passed
    assert not client_cost(21, 100).passed
    assert client_cost(25, 100).value == 0.25


def test_the_environment_is_sound_when_every_gate_passed():
    good, bad = counts_agree(5, 5), counts_agree(5, 6)
    assert environment([good]) == (True, "")
    assert environment([]) == (True, "")
    assert environment([good, bad]) == (False, "counts agree: the client counted 5 operations and the server 6")
