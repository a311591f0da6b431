"""Parameters, arms, checks and words of three_rounds, on planted numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook import lab
from benchbook.chapters.three_rounds import measure
from benchbook.chapters.three_rounds.arms import NAMES, Parameters, configurations
from benchbook.chapters.three_rounds.numbers import COLD_PAIR, PAIR, Summary, aa_gates
from benchbook.claims.ledger import load_claims
from benchbook.errors import BenchbookError, MachineError, NoEngineError
from benchbook.measuring.pgbench.ladder import arms, second
from benchbook.measuring.pgbench.ladder.arms import Start, start_of
from benchbook.measuring.pgbench.ladder.course import reduce
from benchbook.model import Run

chapter = lab.experiment("three_rounds")

pytestmark = pytest.mark.usefixtures("still_machine", "no_reports")


def planted(codec: str = "lz4", third: float = 1.1, warm_start: float = 0.4) -> Run:
    """Six blocks in which round 3 has so many times the throughput of round 2."""
    parameters = Parameters(blocks=6)
    generator = np.random.default_rng(5)
    rows, samples = [], []
    for trial in chapter.plan(parameters).trials:
        arm = trial.configuration
        cold = start_of(arm) is Start.COLD
        tps = 5_000 * (third if arm.name == arms.ROUND_3 else 0.8 if cold else 1) * generator.lognormal(0, 0.01)
        kept = np.full(50, int(1e10 / tps), dtype=np.int64)
        of_run = {
            "tps": tps, "latency_mean_ns": 1e10 / tps, "latency_sd_ns": 5e9 / tps, "peak_tps": 1.1 * tps,
            "min_tps": 0.9 * tps, "rest_tps": tps, "third_quarter_tps": tps, "fourth_quarter_tps": tps,
            "littles_ratio": 1.0, "transactions": 30 * tps, "server_transactions": 30 * tps,
            "transactions_per_account_page": 4.0, "wal_bytes_per_transaction": 900.0, "reads_per_transaction": 1.0,
            "data_in_pool_start": 0.0 if cold else warm_start, "data_in_os_cache_start": 0.0 if cold else 0.9,
            **{f"interval_{place:02}_tps": tps for place in range(1, 13)},
        }  # fmt: skip
        later = {
            f"{prefix}{name}": value * (1.2 if name == "tps" else 1) + 0.3 * (name == "data_in_pool_start")
            for prefix in ("second_", "third_") if arm.name == arms.ROUND_2_COLD
            for name, value in of_run.items()
        }  # fmt: skip
        rows.append(
            {
                "trial": trial.index, "block": trial.block, "configuration": arm.name, "seed": trial.seed, "session": 0,
                "started_at": "2026-11-28T10:00:00+00:00", "duration_s": 30.0, "state": "measured",
                "memory": "bounded to 0.6 GiB (control group v1)", "pool_used_share": 1.0,
                "settings": f"shared_buffers={arm.settings['pool_over_data']}; wal_writer_flush_after="
                f"{arm.settings['wal_writer_flush_after']}",
                **of_run, **later, **reduce(kept),
            }
        )  # fmt: skip
        samples.append(pd.DataFrame({"trial": trial.index, "series": "transaction", "latency_ns": kept}))
    return Run(
        "0123456789ab-20261128T100000", "three_rounds", 1, parameters.model_dump(mode="json"), "standard",
        parameters.seed, parameters.blocks,
        {"data_bytes": 315_000_000, "engine_version": "15.14", "wal_compression": codec, "cores": 2},
        pd.DataFrame(rows), pd.concat(samples), pd.DataFrame(),
    )  # fmt: skip


def outcomes(run: Run) -> dict[str, str]:
    return {verdict.claim_id: str(verdict.outcome) for verdict in chapter.judge(chapter.summarize(run))}


def test_the_rounds_are_the_ladders_with_the_lengths_that_are_asked_for() -> None:
    p = Parameters(trial_seconds=7, fill_seconds=3, clients=6)
    assert (p.ladder.warm_seconds, p.ladder.warm_fill_seconds, p.ladder.clients) == (7, 3, 6)
    assert [arm.name for arm in configurations(p)] == [*NAMES]
    assert {start_of(arm) for arm in configurations(p)} == {Start.COLD, Start.WARM}


def test_data_that_leave_no_memory_beside_the_pool_are_refused() -> None:
    with pytest.raises(BenchbookError, match="MiB beside the largest pool"):
        Parameters.given({"scale": 1})


def test_every_claim_has_one_answer() -> None:
    testable = {c.id for c in load_claims().values() if c.chapter == "three_rounds" and str(c.testable) == "here"}
    assert {answer.claim for answer in chapter.answers.given} == testable
    assert len(testable) == 20


def test_without_a_package_of_postgresql_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> Any:
        raise MachineError("there is no second PostgreSQL", "install it")

    monkeypatch.setattr(second, "find", absent)
    missing = measure.needs(Parameters()).missing_engine()
    assert isinstance(missing, NoEngineError)
    assert missing.mend == "install Debian's package postgresql"


def test_a_third_round_that_is_faster_is_no_loss() -> None:
    found = outcomes(planted(third=1.1))
    assert found["R037"] == found["R039"] == found["R105"] == "wrong"
    assert found["R041"] == "holds"
    assert "calls a failure" in chapter.opening(chapter.summarize(planted(third=1.1))).title


def test_a_third_round_that_is_slower_loses() -> None:
    found = outcomes(planted(third=0.77))
    assert found["R037"] == found["R039"] == "holds"
    assert found["R105"] == "no effect", "round 1 was given the throughput of round 2"


def test_another_codec_decides_nothing_about_the_third_round() -> None:
    found = outcomes(planted(codec="pglz"))
    assert found["R037"].startswith("open")


def test_warmth_needs_caches_that_were_cold() -> None:
    run = planted()
    run.trials.loc[run.trials["configuration"] == arms.ROUND_2_COLD, "data_in_pool_start"] = 0.5
    assert outcomes(run)["R049"] == "open: not by this design"


def test_claims_on_cold_trials_rest_on_the_cold_pair() -> None:
    summary = chapter.summarize(planted())
    assert isinstance(summary, Summary)
    answers = {answer.claim: answer for answer in chapter.answers.given}
    for claim, pair in (("R008", COLD_PAIR), ("R023", COLD_PAIR), ("R037", PAIR), ("R049", PAIR)):
        (gate,) = aa_gates(summary, answers[claim])
        assert gate == summary.aa_gate(*pair, answers[claim].estimand.metric or "")


def test_the_page_has_its_sentences() -> None:
    summary = chapter.summarize(planted())
    for name in ("design", "noise", "acted"):
        assert chapter.say(summary, name).text.strip(), name
    assert chapter.figures(summary)["rounds"].data is not None
