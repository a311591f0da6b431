"""Three rounds without an engine: parameters, what is missing, and which pair a claim stands on."""

from __future__ import annotations

from typing import Any

import pytest
from chapters import planted_numbers

from benchbook import lab
from benchbook.chapters import three_rounds
from benchbook.chapters.three_rounds import COLD_PAIR, PAIR, Parameters, configurations
from benchbook.errors import MachineError, NoEngineError
from benchbook.measuring.pgbench.ladder import second

chapter = lab.experiment("three_rounds")


def test_the_rounds_are_the_ladders_with_the_lengths_that_are_asked_for() -> None:
    p = Parameters(trial_seconds=7, fill_seconds=3, clients=6)
    assert (p.ladder.warm_seconds, p.ladder.warm_fill_seconds, p.ladder.clients) == (7, 3, 6)
    assert {arm.settings["start"] for arm in configurations(p)} == {"cold", "warm"}


def test_without_a_package_of_postgresql_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> Any:
        raise MachineError("there is no second PostgreSQL", "install it")

    monkeypatch.setattr(second, "find", absent)
    missing = three_rounds.needs(Parameters()).missing_engine()
    assert isinstance(missing, NoEngineError)
    assert missing.mend == "install Debian's package postgresql"


@pytest.mark.parametrize(
    ("codec", "held", "why"),
    [("pglz", 0.0, "pglz where the claim's server had lz4"), ("lz4", 0.5, "was up to 50%"), ("lz4", 0.0, "")],
)
def test_another_codec_departs_and_caches_that_were_warm_decide_nothing(
    codec: str, held: float, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = {"data_in_pool_start": held, "data_in_os_cache_start": 0.0, "pool_used_share": 1.0}
    monkeypatch.setattr(
        three_rounds.Summary, "_values",
        lambda summary, arm, metric: planted_numbers.values(arm, metric) * 0 + planted.get(metric, 1.0),
    )  # fmt: skip
    summary, emptied = planted_numbers.summary("three_rounds"), three_rounds.NUMBERS["emptied"]
    summary.run.provenance["wal_compression"] = codec
    assert why in emptied.departs(summary) or why in emptied.idle(summary)
    assert bool(emptied.departs(summary) or emptied.idle(summary)) == bool(why)


def test_claims_on_cold_trials_rest_on_the_cold_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(three_rounds.Summary, "aa_gate", lambda summary, again, first, metric: (again, first))
    summary, answers = planted_numbers.summary("three_rounds"), chapter.answers.by_claim()
    for claim, pair in (("R008", COLD_PAIR), ("R023", COLD_PAIR), ("R037", PAIR), ("R049", PAIR)):
        assert three_rounds.aa_gates(summary, answers[claim]) == [pair]
