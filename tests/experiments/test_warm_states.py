"""States, looks and words of warm_states, on planted numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook import lab
from benchbook.chapters.warm_states import arms, looks
from benchbook.chapters.warm_states.arms import Parameters, State, configurations, state_of
from benchbook.errors import BenchbookError
from benchbook.measuring.pgbench.turns import reduce
from benchbook.model import Run
from benchbook.parameters.profiles import profile
from benchbook.runner.units import units

chapter = lab.experiment("warm_states")

pytestmark = pytest.mark.usefixtures("still_machine")
TPS = {State.HALF: 0.85, State.BUSY: 0.7, State.SNAPSHOT: 0.6, State.VACUUM: 0.7, State.COLD: 0.4}


def planted(**given: Any) -> Run:
    parameters = Parameters.given({"blocks": 6} | given)
    generator = np.random.default_rng(3)
    rows, samples = [], []
    for trial in chapter.plan(parameters).trials:
        state = state_of(trial.configuration)
        slower = TPS.get(state, 1.0)
        tps = 8_000 * slower * generator.lognormal(0, 0.01)
        kept = np.full(50, 1_000_000, dtype=np.int64)
        parts = parameters.turn_ms // looks.PART_MS
        along = np.linspace(1.3, 0.7, parts) if state is State.SNAPSHOT else np.ones(parts)
        rows.append(
            {
                "trial": trial.index, "block": trial.block, "configuration": trial.configuration.name,
                "seed": trial.seed, "session": 0, "started_at": "2026-11-27T10:00:00+00:00", "duration_s": 30.0,
                "state": "measured", "memory": "bounded to 2.2 GiB (control group v1)", "tps": tps, "turns": 3.0,
                "processors": 2.0, "machine_user_per_transaction_s": 2e-4 / slower,
                "machine_system_per_transaction_s": 1e-4 / slower, "dead_rows": 20.0 / slower,
                "server_read_bytes_per_transaction": 900.0 if state is State.COLD else 0.0,
                "taken_processors": arms.TAKEN.get(state, (0, 0.0))[1], "latency_mean_ns": 1e6, "latency_p99_ns": 2e6,
                "vacuums": 2.0 * (state is State.VACUUM),
                **{f"half_second_{place + 1:02}_tps": tps * factor for place, factor in enumerate(along)},
                **reduce(kept),
            }
        )  # fmt: skip
        samples.append(pd.DataFrame({"trial": trial.index, "series": "transaction", "latency_ns": kept}))
    return Run(
        "0123456789ab-20261127T100000", "warm_states", 1, parameters.model_dump(mode="json"), "standard",
        parameters.seed, parameters.blocks, {"data_bytes": 787_000_000, "engine_version": "18.6"}, pd.DataFrame(rows),
        pd.concat(samples), pd.DataFrame(),
    )  # fmt: skip


def test_all_states_share_one_server_in_a_block() -> None:
    every = configurations(Parameters())
    assert {arm.group for arm in every} == {arms.GROUP}
    assert len(units(chapter.plan(Parameters(blocks=2)).trials, turns=True)) == 2
    assert {state_of(arm) for arm in every} == set(State)


def test_turns_of_which_nothing_counts_are_refused() -> None:
    with pytest.raises(BenchbookError, match="leaves nothing of a turn"):
        Parameters.given({"turn_ms": 1_000, "discard_ms": 1_000})


def test_the_course_of_a_turn_is_the_mean_over_its_turns() -> None:
    ends = np.array([100_000, 200_000, 700_000, 10_100_000, 10_600_000], dtype=np.int64)
    found = looks.course(ends, [(0, 1_000_000), (10_000_000, 11_000_000)], 1_000)
    assert found == {"half_second_01_tps": 3.0, "half_second_02_tps": 2.0}


def test_what_nobody_counted_is_missing_and_a_state_that_takes_nothing_took_none() -> None:
    found = looks.over({"user_s": 0.5, "wall_s": 10.0, "dead_rows": 7.0}, 1_000)
    assert found["user_s_per_transaction"] == pytest.approx(5e-4)
    assert found["disk_reads_per_transaction"] is None
    assert found["taken_processors"] == 0
    assert looks.over({"taken_s": 5.0, "wall_s": 10.0, "dead_rows": 7.0}, 1)["taken_processors"] == 0.5


def test_the_page_tells_which_state_is_slow_and_how_it_looks() -> None:
    summary = chapter.summarize(planted())
    opening = chapter.opening(summary)
    assert "makes a warm server slower" in opening.title
    for name in ("design", "marks", "why", "noise"):
        assert chapter.say(summary, name).text.strip(), name
    figures = chapter.figures(summary)
    assert len(figures["course"].data["state"].unique()) == 3
    assert len(figures["processors"].data) >= 14


def test_a_run_with_turns_too_short_for_half_seconds_says_so() -> None:
    summary = chapter.summarize(planted(**profile("warm_states", "quick") | {"blocks": 6}))
    assert "too short" in chapter.figures(summary)["course"].caption
    assert "first half second" not in chapter.say(summary, "why").text
