"""The performance page: every number from the record, targets judged by intervals, a line where nothing is measured."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shown
from docutils import nodes

from benchbook.bench.record import FILE, Part, Performance, compare, timing, write
from benchbook.book.pages.performance import PerformanceDirective, page, told, told_with_interval
from benchbook.book.parts.nodes import Drawing, Folded
from benchbook.book.records import figure_records
from benchbook.book.records.performance_figure import ID, ratios

ROOT = Path(__file__).parents[2]
HOST: dict[str, Any] = {"processor": "CPU 9", "cores": 2, "memory_gib": 7.5, "system": "Linux 6", "python": "3.11.2"}


def part(name: str = "build", **changes: Any) -> Part:
    timings = (
        timing("cold", "from nothing", [80.0, 82.0, 81.0], 90.0, short="cold"),
        timing("warm", "nothing changed", [14.0, 16.5, 15.2], 15.0, short="no change"),
        timing("slow", "one page changed", [20.0, 21.0, 20.5], 15.0),
    )
    content: dict[str, Any] = {
        "name": name,
        "title": "Building the book",
        "measured_at": "2026-01-17T10:00:00+00:00",
        "commit": "0123456789abcdef",
        "dirty": False,
        "load": 0.12,
        "settings": {"chapters of the book": 13},
        "versions": {"sphinx": "7.4"},
        "timings": timings,
        "comparisons": (compare(timings, "warm", "cold", main=True), compare(timings, "slow", "cold")),
    }
    return Part.model_validate(content | changes)


def whole(*parts: Part) -> Performance:
    return Performance(host=HOST, parts=parts)


def directive(root: Path) -> nodes.container:
    found, depends = shown.made(PerformanceDirective, root)
    assert depends == [FILE.name, "figures.json"], "with either the page is made again"
    return found


def rows(shown: nodes.Node) -> list[list[str]]:
    return [[entry.astext() for entry in row.children] for row in shown.findall(nodes.row)]


def made(*parts: Part) -> nodes.container:
    return nodes.container("", *page(whole(*parts)))


def times(*parts: Part) -> dict[str, list[str]]:
    """Rows of the tables of times, which have four columns, by what was timed."""
    return {row[0]: row for row in rows(made(*parts)) if len(row) == 4}


def test_without_a_record_the_page_says_so_in_a_line(tmp_path: Path) -> None:
    assert directive(tmp_path).astext() == (
        "Not measured yet: make bench measures it on a quiet machine and writes data/performance.json."
    )


def test_times_stand_with_their_intervals_and_targets_are_judged_by_them() -> None:
    found = times(part())
    point = float(np.exp(np.log([80.0, 82.0, 81.0]).mean()))
    assert found["from nothing"][1].startswith(f"{point:.3g} s (")
    assert found["from nothing"][2:] == ["3", "90 s: met"]
    assert found["nothing changed"][3] == "15 s: open"
    assert found["one page changed"][3] == "15 s: missed"


def test_ratios_name_their_peer() -> None:
    every = rows(made(part()))
    [warm] = [row for row in every if row[:2] == ["nothing changed", "from nothing"]]
    [stored] = [each for each in part().comparisons if each.name == "warm"]
    assert warm[2] == f"{stored.ratio:.3g} ({stored.low:.3g} to {stored.high:.3g})"


def test_where_and_when_it_was_measured_is_said() -> None:
    words = made(part(dirty=True)).astext()
    for piece in ("CPU 9, 2 cores, 8 GiB of memory, Linux 6, Python 3.11.2", "2026-01-17 10:00 UTC"):
        assert piece in words
    assert "commit 0123456789ab with local changes; load of the machine before: 0.12." in words
    assert "Settings and versions: chapters of the book: 13; sphinx 7.4." in words
    assert "not measurements" not in words
    assert "not measurements" in made(part(settings={"small": True})).astext()


def test_a_single_repeat_has_no_interval() -> None:
    once = part("book", timings=(timing("all", "make book", [600.0], 720.0),), comparisons=())
    found = times(once)
    assert found["make book"] == ["make book", "10 min", "1, no interval", "12 min: met"]


def test_a_part_that_was_left_out_says_why() -> None:
    left_out = part("clients", timings=(), comparisons=(), skipped="no compiler; install gcc")
    words = made(left_out).astext()
    assert "Not measured: no compiler; install gcc." in words


def test_long_tables_are_folded() -> None:
    many = tuple(timing(f"t{number}", f"the {number}th", [1.0, 2.0]) for number in range(30))
    [folded] = made(part(timings=many, comparisons=())).findall(Folded)
    assert folded["summary"] == "All 30 times"


def test_the_figure_shows_the_main_ratios_with_intervals_data_and_words() -> None:
    figure = ratios(whole(part(), part("other", title="Another")))
    assert figure is not None
    assert len(figure.data) == 2, "one main ratio in each part"
    assert len(figure.plot.data) == 2
    first = figure.data.iloc[0]
    assert first["low"] < first["ratio"] < first["high"]
    only = f"1 from {first['ratio']:.3g} to {first['ratio']:.3g}, 1 with the whole interval below 1 and 0 above"
    assert figure.alt == (
        f"2 ratios of times as points with intervals on a logarithmic axis. Building the book: {only}; Another: {only}."
    )
    assert figure.caption.startswith("Time of one operation divided by that of its named peer, 3 interleaved repeats")
    assert figure.plot.layout.xaxis.type == "log"
    assert list(figure.plot.layout.yaxis.ticktext) == ["no change<br>/ cold"] * 2
    drawn = figure.plot.data[0]
    assert drawn.x[0] + drawn.error_x.array[0] == pytest.approx(first["high"])
    assert drawn.x[0] - drawn.error_x.arrayminus[0] == pytest.approx(first["low"])
    json.dumps(figure.record(), allow_nan=False)


def test_without_main_ratios_there_is_no_figure() -> None:
    assert ratios(whole(part(comparisons=()))) is None


def test_the_directive_draws_the_figure_before_the_parts(tmp_path: Path) -> None:
    (tmp_path / FILE).parent.mkdir()
    write(tmp_path / FILE, whole(part()))
    found = directive(tmp_path)
    [drawing] = found.findall(Drawing)
    assert drawing["figure_id"] == "fig-performance-ratios"
    assert [each.astext() for each in found.findall(nodes.title)] == ["Building the book"]


def test_its_figure_can_be_cited_like_one_of_a_chapter(cited: Path) -> None:
    assert figure_records.of_performance(cited) == []
    later = part("other", title="Another", measured_at="2026-03-04T10:00:00+00:00")
    write(cited / FILE, whole(later, part()))
    [record] = figure_records.of_performance(cited)
    assert (record["id"], record["page"], record["command"]) == (ID, "book/performance", "make bench")
    assert record["date"] == "2026-03-04"
    assert "data/performance.json" in record["citations"]["bibtex"], "no run made it, and it has no address"
    assert len(record["data"]["data"]) == 2


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (3.2e-8, "32 ns"),
        (4.56e-5, "45.6 µs"),
        (0.0123, "12.3 ms"),
        (90.0, "90 s"),
        (720.0, "12 min"),
        (9000.0, "2.5 h"),
    ],
)
def test_durations_are_told_in_the_unit_in_which_they_are_read_best(seconds: float, text: str) -> None:
    assert told(seconds) == text


def test_an_interval_is_told_in_the_unit_of_its_point() -> None:
    assert told_with_interval(1.5e-6, 0.9e-6, 2.1e-6) == "1.5 µs (0.9 to 2.1)"
