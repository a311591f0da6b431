"""Index-only scans without a server: what a request asks for, and what is refused."""

from __future__ import annotations

from benchbook.chapters.index_only import COVERED, Parameters
from benchbook.measuring.features import Data

P = Parameters()


def test_a_covered_request_asks_for_what_stands_in_the_index_and_the_other_for_a_column_more() -> None:
    data = Data(P, COVERED)
    covered, every = (data.script(hot=False, pipeline=False, features=each).splitlines() for each in (COVERED, 10))
    assert covered[1].startswith("SELECT hashkey, feature_01, feature_02, feature_03 FROM feature_000 WHERE")
    assert len(covered) == len(every) == 1 + P.n_tables
    assert "feature_10" in every[1]
    assert "feature_10" not in covered[1]
