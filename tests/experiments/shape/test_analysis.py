"""What a chapter recomputes from the notes: the sum and its words."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchbook import notes
from benchbook.numbers import analysis
from benchbook.numbers.estimands import Estimand

numbers = st.floats(1e-6, 1e12)


def spelled(estimand: Estimand) -> tuple[float, str]:
    """The number and its words; neither asks anything of a summary."""
    assert estimand.working is not None
    return estimand.compute(None).point, estimand.working(None)


@given(numbers, numbers)
def test_a_quotient_is_one_number_over_another_and_says_both(top: float, bottom: float) -> None:
    assume(bottom > 0)
    value, words = spelled(analysis.quotient(lambda: top, lambda: bottom, " USD"))
    assert value == top / bottom
    assert words == f"{top:,.10g} / {bottom:,.10g} USD"


@given(st.dictionaries(st.sampled_from("abcd"), numbers, min_size=1))
def test_a_formula_says_every_term_that_it_takes(terms: dict[str, float]) -> None:
    asked = {name: (lambda value=value: value) for name, value in terms.items()}
    words = " + ".join(f"{{{name}}}" for name in terms)
    value, text = spelled(analysis.formula(words, lambda **found: sum(found.values()), **asked))
    assert value == pytest.approx(sum(terms.values()))
    assert text == " + ".join(f"{each:,.10g}" for each in terms.values())


def test_what_was_read_says_where() -> None:
    value, words = spelled(analysis.read("clients"))
    assert value == notes.reading("clients")
    assert words.endswith(")")


def test_a_column_of_a_table_is_read_by_what_stands_in_another() -> None:
    tps = analysis.cells("r8g_runs", "tps", "round")
    assert tps(2)() == notes.number("r8g_runs", "tps", round=2)


def test_sums_of_terms_are_terms_and_are_written_as_their_words_ask() -> None:
    one, two = analysis.Term(lambda: 1200.0), analysis.Term(lambda: 5.0)
    assert [each() for each in (one + two, one - 2, one * two, one / two)] == [1205, 1198, 6000, 240]
    words = analysis.formula("{one} / {two:.2f} = {both:+g}", lambda both, **_: both, one=one, two=two, both=one / two)
    assert spelled(words) == (240, "1,200 / 5.00 = +240")
