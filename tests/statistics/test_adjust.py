import gc
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from benchbook.errors import BenchbookError
from benchbook.statistics import holm

FAMILY = {"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.8}


def test_adjusted_p_values_keep_names_and_agree_with_the_textbook():
    assert holm(FAMILY) == pytest.approx({"a": 0.04, "b": 0.09, "c": 0.09, "d": 0.8})
    assert list(holm(FAMILY).values()) == pytest.approx(multipletests(list(FAMILY.values()), method="holm")[1])


@pytest.fixture(scope="module")
def frozen() -> Iterator[None]:
    """The library collects garbage each time: only what is made here is looked through."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("frozen")
@settings(max_examples=10)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_they_are_those_of_a_library_also_where_some_are_equal(p_values: list[float]) -> None:
    family = {str(place): value for place, value in enumerate(p_values)}
    assert [*holm(family).values()] == pytest.approx(multipletests(p_values, method="holm")[1].tolist(), abs=1e-15)


def test_what_is_no_family_of_p_values_is_refused():
    with pytest.raises(BenchbookError, match="of b"):
        holm({"a": 0.5, "b": float("nan")})
    with pytest.raises(BenchbookError, match="without p-values"):
        holm({})
