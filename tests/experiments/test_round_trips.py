"""Ways of asking, what is counted of them, the fitted lines, and verdicts on planted numbers."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook import lab
from benchbook.chapters.round_trips import ways
from benchbook.chapters.round_trips.arms import (
    BASELINE,
    COUNTED,
    FUNCTION,
    PIPELINE,
    REPEATED,
    SERIAL,
    UNION,
    UNIONS,
    Parameters,
    connections,
)
from benchbook.chapters.round_trips.asking import definition, way
from benchbook.chapters.round_trips.counting import most_at_once
from benchbook.chapters.round_trips.reduction import ENDS, reduce, trips_metric
from benchbook.chapters.round_trips.relay import trips
from benchbook.engines import probe
from benchbook.errors import BenchbookError, NoEngineError
from benchbook.measuring.features.layout import Layout
from benchbook.measuring.features.parameters import OWN
from benchbook.measuring.features.summary import promised
from benchbook.model import Outcome, Run, Verdict
from benchbook.pages.names import NOTHING

chapter = lab.experiment("round_trips")

MODES = (SERIAL, PIPELINE, UNIONS, UNION, FUNCTION, connections(2), connections(4))
LAYOUT = Layout(OWN, Parameters())
WORK_MS, PER_TABLE_MS, READ_MS = 0.5, 0.05, 0.1


def test_without_the_program_that_adds_round_trips_the_published_run_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(probe.FOLDER, str(tmp_path))
    needs = chapter.needs(Parameters())
    missing = needs.missing_engine()
    assert isinstance(missing, NoEngineError), "`benchbook run --all` leaves such a chapter out and goes on"
    assert "no round trip can be added" in missing.problem
    assert "make probe-delay" in missing.mend
    with pytest.raises(NoEngineError, match="no round trip can be added"):
        needs.check()


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"n_tables": 10}, "n_tables=10 must be a multiple of 3"),
        ({"fewer_requests": 91}, "fewer_requests=91 must be a multiple of 3"),
        ({"far_requests": 900}, "far_requests=900 exceeds measured_requests=600"),
        ({"warmup_requests": 59}, "does not warm hot_set_keys=60"),
        ({"added_trip_ms": [0, 5], "disjoint_trip_ms": [1]}, "lacks 1, at which the claims are asked"),
        ({"added_trip_ms": [1], "disjoint_trip_ms": [1]}, "a line needs two points"),
        ({"added_trip_ms": [0, 1, 1.0]}, "names a value twice"),
        ({"added_trip_ms": [0, 1, 60]}, "must lie between 0 and 50"),
        ({"disjoint_trip_ms": [1, 2]}, r"disjoint_trip_ms has \[2.0\]"),
        ({"connections": [1]}, "must lie between 2 and 8"),
        ({"connections": [2, 2]}, "names a value twice"),
        ({"n_tables": 6, "connections": [4]}, "must lie between 2 and 2"),
        ({"counted_trip_ms": 0.5}, "greater than or equal to 2"),
        ({"client_mode": "serial"}, "client_mode='serial'"),
    ],
)
def test_contradictory_parameters_are_refused_with_their_numbers(values: dict[str, Any], told: str) -> None:
    with pytest.raises(BenchbookError, match=told):
        Parameters.given(values)


def test_the_baseline_is_there_twice_and_every_length_of_the_way_is_measured_together() -> None:
    arms = chapter.configurations(Parameters())
    assert arms[BASELINE].settings == arms[REPEATED].settings
    lengths = [
        trial.configuration.settings["trip_ms"] for trial in chapter.plan(Parameters()).trials if not trial.block
    ]
    changes = sum(before != after for before, after in pairwise(lengths))
    assert changes == len(set(lengths)) - 1
    assert {str(promised(arm.settings)) for arm in arms.values()} == {"hot", "cold"}


@given(st.sampled_from(MODES), st.integers(4, 30), st.integers(2, 12))
def test_every_way_asks_for_each_table_once(mode: str, size: int, tables_per_union: int) -> None:
    found = way(mode, LAYOUT, size, tables_per_union)
    statements = [each for lane in found.lanes for each in lane]
    assert sorted(table for each in statements for table in each.tables) == list(range(size))
    wanted = {
        SERIAL: size, PIPELINE: 1, UNIONS: -(-size // tables_per_union), UNION: 1, FUNCTION: 1,
        connections(2): -(-size // 2), connections(4): -(-size // 4),
    }  # fmt: skip
    assert found.trips == wanted[mode]
    named = definition(LAYOUT, size) if mode == FUNCTION else " ".join(each.text for each in statements)
    assert all(named.count(f"FROM {table} ") == 1 for table in LAYOUT.tables[:size])


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20)), max_size=12))
def test_the_most_spans_at_once_are_those_at_some_start(given: list[tuple[int, int]]) -> None:
    spans = [(float(start), float(start + length)) for start, length in given]
    brute = max((sum(a <= start < b for a, b in spans) for start, _ in spans), default=0)
    assert most_at_once(spans) == brute


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=30))
def test_what_is_sent_without_hearing_in_between_is_one_trip(turns: list[tuple[int, int]]) -> None:
    log = [who for sent, heard in turns for who in ["client"] * sent + ["server"] * heard]
    assert trips(log) == len(turns)


def test_a_trial_is_reduced_by_its_number_of_tables() -> None:
    latencies = np.tile(np.array([10, 20, 30], dtype=np.int64), 200)
    found = reduce(latencies)
    assert [found[f"mean{end}_ns"] for end in ENDS] == [10, 20, 30]
    assert [found[f"p50{end}_ns"] for end in ENDS] == [10, 20, 30]
    assert reduce(latencies[:-3])["p50_ns"] is None, "199 requests have no median"
    assert set(reduce(np.ones(2, dtype=np.int64))) == set(found), "names are known from two latencies"


@given(st.floats(0.5, 40), st.floats(0.01, 10))
def test_a_line_gives_back_trips_and_work(slope: float, work: float) -> None:
    lengths = np.array([0.5, 1.0, 5.0, 20.0])
    assert ways.fitted(lengths, slope * lengths + work) == pytest.approx((slope, work), rel=1e-6)


@given(st.floats(-1, 2), st.floats(0, 5), st.floats(0, 1))
def test_growth_is_what_tables_and_length_make_together(both: float, trip: float, table: float) -> None:
    tables, lengths = np.array([10.0, 20.0, 30.0]), np.array([0.0, 0.5, 1.0, 5.0, 20.0])
    t, r = np.meshgrid(tables, lengths)
    found = ways.growing(tables, lengths, 3 + trip * r + table * t + both * t * r)
    assert found == pytest.approx(both, abs=1e-9)


def planted(
    counted: dict[str, float] | None = None, *, trips_of_pipeline: int = 1, read_ms: float = READ_MS,
    overstated_ms: float = 0.0,
) -> Run:  # fmt: skip
    """A run whose latencies are trips, work and reads, alike in all blocks within 0.5 %.

    overstated_ms: by how much a trial's own measurement of a trip is longer than the trips of its requests.
    """
    parameters = Parameters.given({"blocks": 8})
    generator, rows = np.random.default_rng(3), []
    for trial in chapter.plan(parameters).trials:
        arm = trial.configuration
        row: dict[str, Any] = {
            "trial": trial.index, "block": trial.block, "configuration": arm.name, "session": 0,
            "cache_state": str(promised(arm.settings)), "state": "measured", "needed_in_pool_at_start": 1.0,
        }  # fmt: skip
        trip_ms, mode = float(arm.settings["trip_ms"] or 0), str(arm.settings["mode"])
        row |= {"added_trip_ms": trip_ms} | ({"measured_trip_ms": trip_ms + overstated_ms} if trip_ms else {})
        if mode == COUNTED:
            row |= _counts(parameters, trips_of_pipeline) | (counted or {})
        else:
            reads = 60.0 if arm.settings["draw"] == "disjoint" else 0.0
            row |= {"requests": 600.0, "lookups": 9.0, "index_scans": 9.0, "loop_share_in_requests": 1.0}
            row["pool_misses_per_request"] = reads
            for size, end in zip(parameters.sizes, ENDS, strict=True):
                waits = _trips(mode, parameters, size, trips_of_pipeline)
                ms = waits * trip_ms + WORK_MS + PER_TABLE_MS * size + read_ms * reads
                for metric in ("mean", "p50"):
                    row[f"{metric}{end}_ns"] = 1e6 * ms * float(np.exp(generator.normal(0, 0.005)))
        rows.append(row)
    return Run(
        "r", "round_trips", 1, parameters.model_dump(mode="json"), "standard", parameters.seed, 8,
        {"engine_version": "18.6", "direct_io": True, "psycopg": "3.3", "heap_bytes": 1, "index_bytes": 1},
        pd.DataFrame(rows), pd.DataFrame(columns=["trial", "series", "latency_ns"]), pd.DataFrame(),
    )  # fmt: skip


def _trips(mode: str, parameters: Parameters, size: int, pipeline: int) -> int:
    return pipeline if mode == PIPELINE else way(mode, LAYOUT, size, parameters.tables_per_union).trips


def _counts(parameters: Parameters, pipeline: int) -> dict[str, float]:
    found = {
        trips_metric(mode, number): float(_trips(mode, parameters, size, pipeline))
        for mode in parameters.modes
        for number, size in enumerate(parameters.sizes)
    }
    code = {"committed": (3, 1, 0), "autocommit": (1, 1, 0), "snippet": (2, 1, 0), "own_cursors": (1, 30, 30)}
    for name, numbers in code.items():
        for metric, number in zip(("trips", "correct_rows", "rows_in_place"), numbers, strict=True):
            found[f"{metric}_{name}"] = float(number)
        found[f"trips_{name}_per_table"] = numbers[0] / 30
    return found | {"statements_at_once": 1.0, "statements_at_once_control": 4.0}


def judged(run: Run) -> dict[str, Verdict]:
    return {verdict.claim_id: verdict for verdict in chapter.judge(chapter.summarize(run))}


@pytest.mark.usefixtures("still_machine")
def test_planted_trips_decide_every_claim() -> None:
    found = judged(planted())
    assert {claim: verdict.outcome for claim, verdict in found.items()} == {
        "L047": Outcome.CONTRADICTED,
        "L048": Outcome.CONTRADICTED,
        "L049": Outcome.REPRODUCED,
        "L050": Outcome.CONTRADICTED,
        "L051": Outcome.REPRODUCED,
        "L088": Outcome.REPRODUCED,
    }
    other = judged(planted({"trips_committed_per_table": 1.0, "correct_rows_snippet": 30.0, "statements_at_once": 2.0}))
    for claim in ("L047", "L048", "L050"):
        assert other[claim].outcome is Outcome.REPRODUCED, other[claim].reason


@pytest.mark.usefixtures("still_machine")
def test_without_its_cause_nothing_is_decided() -> None:
    found = judged(planted(trips_of_pipeline=30))
    for claim in ("L088", "L049", "L051"):
        assert found[claim].outcome is Outcome.DESIGN, found[claim].reason
    unseen = judged(planted({"statements_at_once_control": 1.0}))["L050"]
    assert unseen.outcome is Outcome.DESIGN, unseen.reason
    assert "no more than 1 were seen at once either" in unseen.reason


@pytest.mark.usefixtures("still_machine")
def test_reads_that_cost_nothing_do_not_make_a_pipeline_matter_less() -> None:
    assert judged(planted(read_ms=0.0))["L051"].outcome is Outcome.CONTRADICTED


@pytest.mark.usefixtures("still_machine")
def test_the_lines_of_a_planted_run_are_what_was_planted() -> None:
    summary = chapter.summarize(planted())
    for mode in summary.parameters.modes:
        line, counted = ways.line(summary, mode), summary.trips(mode).point
        assert line.trips.point == pytest.approx(counted, rel=0.02), mode
        assert line.work_ms.point == pytest.approx(WORK_MS + 30 * PER_TABLE_MS, rel=0.05), mode
    share = ways.waiting(summary, SERIAL, 1.0).point
    assert share == pytest.approx(30 / 32, rel=0.02)


@pytest.mark.usefixtures("still_machine")
def test_work_below_nothing_is_explained() -> None:
    assert "below 0" not in chapter.say(chapter.summarize(planted()), "fits").text
    said = chapter.say(chapter.summarize(planted(overstated_ms=0.2)), "fits").text
    found = re.search(r"at least (\d+) µs shorter", said)
    assert found
    assert int(found[1]) == pytest.approx(200 - 1e3 * (WORK_MS + 30 * PER_TABLE_MS) / 30, rel=0.05)


@pytest.mark.usefixtures("still_machine")
def test_figures_and_sentences_of_a_planted_run_are_whole() -> None:
    summary = chapter.summarize(planted())
    figures = chapter.figures(summary)
    assert all(len(figure.caption.split()) <= 60 for figure in figures.values())
    for name in ("design", "answer", "winners", "overlap", "noise", "saved_with_pages_to_read", "fits"):
        assert chapter.say(summary, name).text != NOTHING
    assert "30" in chapter.table(summary, "code").to_string()
    assert len(chapter.table(summary, "speed")) == len(summary.trips_ms)
    assert len(chapter.table(summary, "lines")) == len(summary.parameters.modes)
    lesson = chapter.lesson(summary)
    assert lesson.title.startswith("Look-ups sent one by one spend most of their time on round trips")
    assert "3 round trips" in " ".join(lesson.besides)
