"""A metric in words, in its unit, and as axis and column of a figure."""

from typing import Any

import pytest

from benchbook.drawing.regular import Dots
from benchbook.errors import BenchbookError
from benchbook.numbers.metrics import Metric, Metrics, in_words, known

MEAN = Metric("mean time of a look-up", "µs", 1e-3, "{:.1f}".format, heading="mean")
TABLE: Metrics = {
    "mean_ns": MEAN,
    "p50_ns": Metric("P50", "ns"),
    "tps": Metric("throughput"),
    "part_#_tps": Metric("throughput of a part"),
    "ratio_until_#_burst": Metric("ratio of a burst"),
}


def test_an_axis_has_all_words_and_a_column_the_fewest() -> None:
    assert (MEAN.axis, MEAN.column, MEAN.brief) == ("mean time of a look-up (µs)", "mean (µs)", "mean")
    plain = TABLE["tps"]
    assert (plain.axis, plain.column, plain.brief) == ("throughput", "throughput", "throughput")
    assert MEAN.written(1_234) == "1.2"
    assert plain.written(12_345.6) == "12,346"


def test_words_are_found_by_name_and_by_place_among_numbered_ones() -> None:
    names = {"mean_ns": "mean_ns", "part_07_tps": "part_#_tps", "ratio_until_2_burst": "ratio_until_#_burst"}
    for name, metric in names.items():
        assert known(TABLE, name) is TABLE[metric]
        assert in_words(TABLE, name) == TABLE[metric].words


def test_a_metric_that_no_table_knows_is_called_by_its_name_without_the_unit() -> None:
    names = ("query_mean_ns", "load_s", "resident_bytes", "min_tps", "resident_bytes_per_key", "ratio_until_2_query")
    assert [known(TABLE, name) for name in names] == [None] * len(names)
    assert [in_words(TABLE, name) for name in names] == [
        "query mean", "load", "resident", "min tps", "resident bytes per key", "ratio until 2 query",
    ]  # fmt: skip


def dots(**others: Any) -> Dots:
    return Dots(id="fig-dots", title="Dots", rows={}, series={}, caption="", **others)


def test_a_figure_of_one_metric_takes_axis_heading_and_factor_from_it() -> None:
    figure = dots(metric=MEAN)
    assert (figure.axis, figure.quantity, figure.factor) == (MEAN.axis, MEAN.column, MEAN.factor)
    assert dots(axis="ratio").factor == 1.0


def test_a_figure_takes_a_metric_or_an_axis_and_not_both_or_none() -> None:
    with pytest.raises(BenchbookError, match="the axis of the figure fig-dots has no title"):
        dots()
    for others in ({"axis": "time"}, {"quantity": "time"}, {"factor": 2.0}):
        with pytest.raises(BenchbookError, match="fig-dots says twice"):
            dots(metric=MEAN, **others)
