"""The price of a system call without an engine: which configurations there are, what is asked, refused and said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook import lab
from benchbook.chapters.system_calls.arms import (
    AGAIN,
    ASKING,
    BEST,
    HELD,
    NOTHING,
    OMEN,
    ONCE,
    USES,
    Parameters,
    at,
    configurations,
)
from benchbook.chapters.system_calls.measure import request_of
from benchbook.chapters.system_calls.numbers import KINDS
from benchbook.errors import BenchbookError
from benchbook.measuring.samples import reduce
from benchbook.model import Run

chapter = lab.experiment("system_calls")

pytestmark = pytest.mark.usefixtures("still_machine")
P = Parameters()
ASKED = {arm.name: request_of(P, arm, 1) for arm in configurations(P)}
CALLS = {"as_run": 10.0, "once": 8.0, "held": 1.0}
BASE_NS = {"as_run": 9_000.0, "once": 4_000.0, "held": 1_800.0, "best": 1_500.0, "engine": 5_000.0, "value_file": 600.0}


def planted(parameters: Parameters, once_ns: float = BASE_NS["once"]) -> Run:
    """Every ns that is added to a call is felt; a look-up of SQLite prepared once makes eight of them."""
    generator = np.random.default_rng(5)
    rows, samples = [], []
    for trial in chapter.plan(parameters).trials:
        use, ns = str(trial.configuration.settings["use"]), int(trial.configuration.settings["ns"] or 0)
        calls = CALLS.get(use, 0.001)
        base = {**BASE_NS, "once": once_ns}[use]
        mean = (base + max(ns, 0) * calls) * generator.lognormal(0, 0.003)
        kept = np.full(50, int(mean), dtype=np.int64)
        counted = {f"{kind}": calls / len(KINDS) for kind in KINDS} | {
            "calls_per_lookup": calls, "added_per_lookup_ns": max(ns, 0) * calls,
        }  # fmt: skip
        rows.append(
            {
                "trial": trial.index, "block": trial.block, "configuration": trial.configuration.name,
                "seed": trial.seed, "session": 0, "started_at": "2026-11-28T10:00:00+00:00", "duration_s": 5.0,
                "lookup_mean_ns": mean, "lookups": 2_000.0, "checked_reads": 2_000.0,
                **(counted if ns != NOTHING else {}), **reduce(kept),
            }
        )  # fmt: skip
        samples.append(pd.DataFrame({"trial": trial.index, "series": "batch", "latency_ns": kept}))
    return Run(
        "0123456789ab-20261128T100000", "system_calls", 1, parameters.model_dump(mode="json"), "standard",
        parameters.seed, parameters.blocks, {"engine_version": "SQLite 3", "system_call_ns": 400.0},
        pd.DataFrame(rows), pd.concat(samples), pd.DataFrame(),
    )  # fmt: skip


def test_what_asks_the_kernel_is_measured_at_every_price_and_the_rest_at_two() -> None:
    assert len(ASKED) == len(USES) + len(ASKING) * len(P.added_ns) + len(USES) - len(ASKING) + 1
    for use in USES:
        same = [request for name, request in ASKED.items() if name == use or name.startswith(f"{use}_")]
        assert all(each == same[0] for each in same), "what is added is no business of the probe's"
    assert ASKED[AGAIN] == ASKED[ONCE]


def test_the_uses_of_sqlite_differ_in_one_option_each() -> None:
    once = ASKED[ONCE]["options"]
    for use, option in (("as_run", "prepare"), (HELD, "transaction")):
        other = ASKED[use]["options"]
        assert {name for name in {**once, **other} if once.get(name) != other.get(name)} == {option}


@pytest.mark.parametrize("given", [{"added_ns": [250, 500]}, {"added_ns": [0]}, {"added_ns": [0, 500, 250]}])
def test_prices_that_do_not_grow_from_nothing_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BenchbookError, match="added_ns"):
        Parameters.given(given)


def test_a_faster_sqlite_is_level_at_the_price_that_makes_up_for_its_lead() -> None:
    summary = chapter.summarize(planted(Parameters(blocks=6)))
    assert summary.even(ONCE).point == pytest.approx((5_000 - 4_000) / 8, rel=0.1)
    assert summary.felt(ONCE).point == pytest.approx(1, abs=0.02)
    assert chapter.opening(summary).title.startswith(
        "SQLite is ahead of the note's engine as long as system calls are cheap: a look-up makes 8"
    )
    said = chapter.say(summary, "even").text
    assert "SQLite prepared once is faster than the note's engine here" in said
    for name in ("design", "asks", "dearer", "held", "mapped", "felt", "unmoved", "noise"):
        assert chapter.say(summary, name).text.strip(), name


def test_a_slower_sqlite_would_need_cheaper_calls_and_the_title_says_so() -> None:
    summary = chapter.summarize(planted(Parameters(blocks=6), once_ns=7_000.0))
    assert summary.even(ONCE).high < 0
    assert "is a price of the host" in chapter.opening(summary).title
    assert "as far as the line goes on below what was measured" in chapter.say(summary, "even").text


def test_level_ones_are_called_so() -> None:
    summary = chapter.summarize(planted(Parameters(blocks=6), once_ns=5_000.0))
    assert "depends on their price" in chapter.opening(summary).title
    assert "are about as fast" in chapter.say(summary, "even").text


def test_what_makes_no_calls_does_not_change() -> None:
    summary = chapter.summarize(planted(Parameters(blocks=6)))
    for use in (BEST, OMEN):
        assert summary.ratio((at(use, P.most_ns), "lookup_mean_ns"), (use, "lookup_mean_ns")).point == pytest.approx(
            1, abs=0.02
        )
