"""The notes' release without a server: which configurations there are, what differs between two, what is said."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchbook import lab
from benchbook.chapters.releases.arms import AGAIN, CASES, COMPARED, NOTES, OURS, Parameters, at, configurations
from benchbook.chapters.releases.measure import reduce
from benchbook.chapters.releases.numbers import COMPARISONS
from benchbook.engines.postgres import notes_release
from benchbook.errors import NoEngineError
from benchbook.model import Run

chapter = lab.experiment("releases")

pytestmark = pytest.mark.usefixtures("still_machine")
ARMS = {arm.name: arm.settings for arm in configurations(Parameters())}
TPS = {
    "full": 9_000,
    "small": 6_000,
    "compressed": 9_000,
    "unwritten": 5_400,
    "reads_full": 40_000,
    "reads_small": 30_000,
}


def planted(parameters: Parameters, **notes: float) -> Run:
    """Both releases make the same of each case, the notes' a tenth less in all; notes: what else it makes of one."""
    generator = np.random.default_rng(3)
    rows, samples = [], []
    for trial in chapter.plan(parameters).trials:
        name = trial.configuration.name
        release, _, case = ("ours", "", "full") if name == AGAIN else name.partition("_")
        other = notes.get(case, 0.9) if release == NOTES else 1.0
        tps = TPS[case] * other * generator.lognormal(0, 0.01)
        kept = np.full(50, int(1e9 * parameters.clients / tps), dtype=np.int64)
        rows.append(
            {
                "trial": trial.index, "block": trial.block, "configuration": name, "seed": trial.seed, "session": 0,
                "started_at": "2026-11-28T10:00:00+00:00", "duration_s": 20.0, "state": "measured", "settings": "",
                "memory": "bounded", "tps": tps, "latency_mean_ns": float(kept[0]), "latency_p99_ns": 3.0 * kept[0],
                "transactions": 10 * tps, "server_transactions": 10 * tps, "littles_ratio": 1.0,
                "reads_per_transaction": 0.5 if "small" in case else 0.0, **reduce(kept),
            }
        )  # fmt: skip
        samples.append(pd.DataFrame({"trial": trial.index, "series": "transaction", "latency_ns": kept}))
    return Run(
        "0123456789ab-20261128T100000", "releases", 1, parameters.model_dump(mode="json"), "standard", parameters.seed,
        parameters.blocks, {"engine_version": "18.6", "notes_version": "16.11"}, pd.DataFrame(rows),
        pd.concat(samples), pd.DataFrame(),
    )  # fmt: skip


def test_every_case_is_measured_on_both_releases_and_one_twice() -> None:
    assert len(ARMS) == 2 * len(CASES) + 1
    for case in CASES:
        ours, notes = ARMS[at(OURS, case)], ARMS[at(NOTES, case)]
        assert {name for name in ours if ours[name] != notes[name]} == {"release"}


def test_the_two_sides_of_a_comparison_differ_in_one_setting() -> None:
    for label, top, bottom in COMPARED.values():
        above, below = ARMS[at(OURS, top)], ARMS[at(OURS, bottom)]
        assert len({name for name in above if above[name] != below[name]}) == 1, label


def test_equal_ratios_are_not_said_to_differ_although_one_release_is_slower_in_all() -> None:
    summary = chapter.summarize(planted(Parameters(blocks=6)))
    assert chapter.opening(summary).title.startswith(
        "PostgreSQL 16.11 and 18.6 may answer 4 comparisons of settings alike or not: 6 blocks cannot tell"
    )
    assert COMPARISONS.effect(summary, "pool", OURS).point == pytest.approx(2 / 3, rel=0.05)
    for name in ("design", "pool", "writes", "apart", "newer", "counter", "noise"):
        assert chapter.say(summary, name).text.strip(), name


def test_a_comparison_that_comes_out_otherwise_is_named() -> None:
    summary = chapter.summarize(planted(Parameters(blocks=6), compressed=0.7))
    assert COMPARISONS.differ(summary) == ["log compressed ÷ not"]
    assert "do not answer 1 of 4 comparisons alike: log compressed ÷ not" in chapter.opening(summary).title


def test_without_the_notes_release_the_message_says_how_to_fetch_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setattr(notes_release.project, "homes", lambda: [tmp_path])
    with pytest.raises(NoEngineError, match="is not here") as caught:
        notes_release.find_notes_release()
    assert "make postgres-16" in caught.value.mend
