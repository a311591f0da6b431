"""A chapter's answer: its title, its numbers in the order given, and what measuring it took."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from made_up import NAME, Asked, Chapter

from benchbook.claims import Quantity
from benchbook.errors import BenchbookError
from benchbook.figures import OPENING_MIME_TYPE, Finding
from benchbook.model import Effect, Outcome, Run
from benchbook.numbers.answers import Answer, Answers
from benchbook.numbers.claim_sides import Turn
from benchbook.numbers.estimands import Estimand
from benchbook.pages.lessons import Teaching
from benchbook.pages.openings import opening
from benchbook.statistics.intervals import PAIRED_LOG_T

SAME = "R053"
TEACHING = Teaching(Turn(SAME, "it is slower", "it is faster", "it is open"), "fig-a", (lambda _: "Do it.",))


class Costly(Chapter):
    def needs(self, parameters: Any) -> Any:
        return SimpleNamespace(disk_bytes=8_900_000_000)


def a_run(*started: str) -> Run:
    blocks = len(started)
    trials = pd.DataFrame({"trial": range(blocks), "block": range(blocks), "session": 0, "started_at": started})
    nothing = pd.DataFrame(columns=["trial", "series", "latency_ns"])
    trials = trials.assign(duration_s=60.0)
    return Run("r", NAME, 1, {"size": 1}, "custom", 1, blocks, {}, trials, nothing, pd.DataFrame())


def summarized(run: Run) -> Asked:
    estimand = Estimand(
        lambda summary: Effect(1.3, 1.2, 1.4, 8, PAIRED_LOG_T, 0.95, "ratio", 0.01),
        Quantity.COUNTER,
    )
    answer = Answer(SAME, estimand, "fig-a", said="both are the same", seen="one takes {} times as long")
    return Costly(Answers((answer,))).summarize(run)


EVERY_HALF_HOUR = a_run(*(f"2026-01-17T{10 + n // 2:02}:{30 * (n % 2):02}:00+00:00" for n in range(6)))


def sentence(summary: Asked) -> str:
    return f"{summary.run.blocks} blocks are enough."


def unknown(summary: Asked) -> str:
    raise BenchbookError("nobody knows", "measure it")


def test_the_answer_says_the_verdict_its_numbers_in_their_order_and_the_command() -> None:
    found = opening(summarized(EVERY_HALF_HOUR), replace(TEACHING, numbers=(sentence, SAME, unknown)))
    assert (found.title, found.figure_id) == ("it is slower", "fig-a")
    text, claim = found.numbers
    assert text == "6 blocks are enough."
    assert isinstance(claim, Finding)
    assert (claim.outcome, claim.seen) == (Outcome.CONTRADICTED, "one takes 1.30 [1.20, 1.40] times as long")
    assert found.command == f".venv/bin/benchbook run {NAME}"
    assert found.cost == "6 blocks took 6 minutes here, up to 8.9 GB of disk"
    shown = found._repr_mimebundle_()
    assert shown[OPENING_MIME_TYPE]["numbers"][1]["outcome"] == "wrong"
    assert shown["text/plain"].splitlines()[2].startswith("Note 003 says that both are the same. Wrong: one takes 1.30")
    assert "- 6 blocks are enough.\n- Note 003 says" in shown["text/markdown"]


def test_a_pause_between_two_sessions_is_no_time_of_measuring() -> None:
    paused = a_run("2026-01-17T10:00:00+00:00", "2026-01-17T10:01:00+00:00", "2026-01-17T20:00:00+00:00")
    assert opening(summarized(paused), TEACHING).cost.startswith("3 blocks took 3 minutes here")


def test_what_lies_between_trials_of_a_session_is_part_of_measuring() -> None:
    close = a_run("2026-01-17T10:00:00+00:00", "2026-01-17T10:06:00+00:00", "2026-01-17T10:12:00+00:00")
    assert opening(summarized(close), TEACHING).cost.startswith("3 blocks took 13 minutes here")


def test_a_run_that_does_not_say_when_it_was_measured_took_what_its_trials_took() -> None:
    run = replace(EVERY_HALF_HOUR, trials=EVERY_HALF_HOUR.trials.drop(columns="started_at"))
    assert opening(summarized(run), TEACHING).cost.startswith("6 blocks took 6 minutes here, up to")


def test_a_number_of_a_claim_that_the_chapter_does_not_answer_is_a_mistake() -> None:
    with pytest.raises(BenchbookError, match="says nothing about the claim L001"):
        opening(summarized(EVERY_HALF_HOUR), replace(TEACHING, numbers=("L001",)))
