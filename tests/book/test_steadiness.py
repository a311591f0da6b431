"""How far each run's machine stood from its quiet level: the figure on the page of threats, from the runs' records."""

from pathlib import Path
from typing import Any

import pytest

from benchbook.book.records import figure_records, steadiness_figure
from benchbook.book.records.steadiness_figure import ID
from benchbook.store import Entry

HOST = {"processor": "P", "cores": 2}
LEVELS = {("P 2", "hash_p50_ns"): 700_000.0, ("P 2", "read_p50_ns"): 90_000.0}


def entry(run: str, times: list[tuple[float, float]], host: dict[str, Any] = HOST) -> Entry:
    """A run at whose looks hashing and reading took so many times the quiet level, two looks a block."""
    looks = [
        {
            "block": place // 2,
            "moment": ("start", "end")[place % 2],
            "hash_p50_ns": 700_000.0 * hashing,
            "read_p50_ns": 90_000.0 * reading,
        }
        for place, (hashing, reading) in enumerate(times)
    ]
    record = {"experiment": "made_up", "canary": looks, "provenance": host, "finished_at": "2026-01-02T03:04:05+00:00"}
    return Entry(Path(run), True, record)


QUIET = [(1.0, 1.1), (1.001, 0.9), (1.0, 1.0), (1.002, 1.2)]
SLOW = [(1.3, 1.1), (1.4, 0.9), (1.35, 1.0), (1.5, 1.2)]


def test_each_run_stands_over_the_quiet_level_of_its_processor() -> None:
    other = entry("c", QUIET, {"processor": "Q", "cores": 4})
    levels = LEVELS | {("Q 4", "hash_p50_ns"): 700_000.0}
    figure = steadiness_figure.of_runs([("B", entry("b", SLOW)), ("A", entry("a", QUIET)), ("C", other)], levels)
    assert figure is not None
    data = figure.data[figure.data["reading"] == "hashing 1 MiB"]
    assert data[["processor", "chapter", "looks"]].to_numpy().tolist() == [
        ["P", "A", 4], ["P", "B", 4], ["Q", "C", 4],
    ]  # fmt: skip
    assert data["median (times the quiet level)"].tolist() == pytest.approx([1.0005, 1.375, 1.0005])
    assert data["highest (times the quiet level)"].tolist() == pytest.approx([1.002, 1.5, 1.002])
    assert data["95 % of the readings below (times the quiet level)"].tolist()[1] == pytest.approx(1.485)
    assert figure.finding == "In 2 of 3 runs, hashing took at most 5 % longer than when the processor is quiet"
    assert "3 runs, of 20 readings" in figure.caption
    assert "P, hashing 1 MiB: 1.00 to 1.38 times in 2 runs" in figure.alt
    dots = next(trace for trace in figure.plot.data if trace.name == "hashing 1 MiB")
    assert len(set(dots.y[:2])) == 1, "the runs of a processor stand in one row"
    assert dots.y[0] != dots.y[2]
    assert list(figure.plot.layout.yaxis.ticktext) == ["P", "Q"]


def test_a_processor_whose_quiet_level_nobody_knows_is_left_out_and_never_held_against_another() -> None:
    other = entry("a", QUIET, {"processor": "Q", "cores": 2})
    assert steadiness_figure.of_runs([("A", other)], LEVELS) is None


def test_a_machine_that_cannot_read_past_its_page_cache_shows_the_other_reading() -> None:
    blind = entry("a", QUIET)
    assert blind.record is not None
    for look in blind.record["canary"]:
        look["read_p50_ns"] = None
    figure = steadiness_figure.of_runs([("A", blind)], LEVELS)
    assert figure is not None
    assert {trace.name for trace in figure.plot.data} == {"hashing 1 MiB"}


@pytest.mark.parametrize("engine", ["simulation 1", ""])
def test_drawn_numbers_and_chapters_without_a_run_are_left_out(engine: str) -> None:
    runs = [{"engine": engine}, None]
    figures = [{"run_id": "r", "chapter_title": "T", "run": run} for run in runs]
    assert figure_records.of_steadiness(Path(), figures) == []


def test_the_published_runs_have_their_figure() -> None:
    root = Path(__file__).parents[2]
    runs = sorted((root / "data" / "published" / "scale").glob("5fba4237b9cd-*"))
    assert len(runs) > 1
    figures = [{"run_id": runs[-1].name, "chapter_title": "Scale", "run": {"engine": "RocksDB 7.8"}}]
    (record,) = figure_records.of_steadiness(root, figures)
    assert (record["id"], record["page"], record["run"]) == (ID, "book/threats", None)
    assert f"of {len(runs)} runs" in record["caption"], "the runs that are pooled stand there one by one"
