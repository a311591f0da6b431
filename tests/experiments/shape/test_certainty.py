"""A chapter's answer: how sure it is, its title, its numbers in the order given, and what measuring it took."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from made_up import NAME, Asked, Chapter, run_of

from benchbook import lab
from benchbook.claims import Quantity
from benchbook.errors import BenchbookError
from benchbook.figures import OPENING_MIME_TYPE, Finding
from benchbook.figures.lesson import DECIDED
from benchbook.model import Effect, Outcome, Part, Run
from benchbook.numbers.answers import Answer, Answers
from benchbook.numbers.claim_sides import Turn
from benchbook.numbers.estimands import Estimand
from benchbook.pages.lessons import Teaching
from benchbook.pages.openings import OPEN, opening, sure
from benchbook.parameters.kinds import Kind
from benchbook.statistics.intervals import PAIRED_LOG_T


def measured(visits: list[int], kind: Kind = Kind.MEASUREMENT, contended: tuple[int, ...] = ()) -> Any:
    run, chapter = SimpleNamespace(blocks=len(visits), parts=()), SimpleNamespace(kind=kind)
    return SimpleNamespace(visits=np.array(visits), run=run, chapter=chapter, contended=contended)


def verdicts(*outcomes: Outcome) -> list[Any]:
    return [SimpleNamespace(outcome=outcome) for outcome in outcomes]


HELD, NOT, ONE, WIDE, IDLE = (
    Outcome.REPRODUCED, Outcome.CONTRADICTED, Outcome.ONE_VISIT, Outcome.INCONCLUSIVE, Outcome.DESIGN,
)  # fmt: skip
LONG = [0, 0, 0, 1, 1, 1]


def test_every_outcome_is_decided_or_open_or_was_not_judged() -> None:
    assert {outcome for outcome in Outcome if outcome.startswith("open")} == {*OPEN}
    assert not {*DECIDED} & {*OPEN}
    unjudged = {Outcome.NOT_TESTABLE, Outcome.NOT_A_MEASUREMENT, Outcome.NOT_YET_RUN}
    assert {*Outcome} - {*DECIDED} - {*OPEN} == unjudged


@pytest.mark.parametrize(
    ("outcomes", "words"),
    [
        ((HELD, NOT), "Both judged claims are decided."),
        (
            (HELD, ONE, ONE, WIDE, IDLE, Outcome.NOT_A_MEASUREMENT),
            "Of 5 judged claims 1 is decided; 2 open after one visit, 1 open because the interval is too wide, 1 open "
            "because this design cannot decide it.",
        ),
        (
            (Outcome.OPEN_HOST, Outcome.OPEN_CONDITION, Outcome.CHECK),
            "Of 3 judged claims none is decided; 1 open because hosts differ and not all of them are settled, 1 open "
            "because the claim's conditions are not those of this run, or are not named, 1 open because a check "
            "failed.",
        ),
        ((HELD,), "The one judged claim is decided."),
        ((WIDE,), "The one judged claim is open because the interval is too wide."),
        ((Outcome.NOT_TESTABLE,), ""),
    ],
)
def test_claims_are_counted_by_what_became_of_them(outcomes: tuple[Outcome, ...], words: str) -> None:
    said = sure(measured(LONG), verdicts(*outcomes))
    assert said == f"6 blocks in 2 visits, each with every configuration; 95 % intervals. {words}".strip()


def test_that_a_run_is_only_short_is_said_of_what_more_blocks_would_decide() -> None:
    assert sure(measured([0, 0]), verdicts(WIDE, ONE, IDLE)).endswith(
        "Of 3 judged claims none is decided; 1 open because this design cannot decide it, 2 open because too few "
        "blocks have been measured so far."
    )


def test_blocks_of_one_visit_say_so() -> None:
    every = "blocks in one visit, each with every configuration;"
    assert sure(measured([0, 0, 0]), []) == f"3 {every} 95 % intervals."
    assert sure(measured([0, 0]), []) == f"2 {every} too few for intervals."
    assert sure(measured([0, 0], Kind.SIMULATION), []) == "2 batches of simulated runs, 95 % intervals."


def test_a_run_of_several_hosts_names_them() -> None:
    mixed = measured([0, 0, 1])
    mixed.run.parts = (
        Part("a", 2, {"processor": "Intel(R) Xeon(R) Processor", "cores": 2}),
        Part("b", 1, {"processor": "AMD EPYC", "cores": 4}),
    )
    assert sure(mixed, verdicts(HELD)) == (
        "3 blocks in 2 visits, each with every configuration; 95 % intervals. They were measured on 2 kinds of host, "
        "Intel Xeon with 2 cores (2 blocks) and AMD EPYC with 4 cores (1 block). The one judged claim is decided."
    )


@pytest.mark.parametrize("name", lab.names())
def test_every_chapter_that_answers_claims_says_what_was_claimed(name: str) -> None:
    chapter = lab.experiment(name)
    teaching = chapter.page.teaching
    if chapter.answers.given or chapter.kind != Kind.MEASUREMENT:
        assert teaching.claimed.startswith(("Note", "All five notes")) or name == "calibration", name
    assert teaching.claimed == "" or teaching.claimed.endswith(".")


@pytest.mark.parametrize(("blocks", "stays"), [((1,), "it stays"), ((0, 2), "they stay")])
def test_blocks_in_which_somebody_else_had_the_disk_are_told_and_kept(blocks: tuple[int, ...], stays: str) -> None:
    said = sure(measured([0, 0, 1], contended=blocks), verdicts(HELD))
    assert f"In {len(blocks)} of them a direct read of the disk took more than twice its quiet time; {stays} in" in said


SAME = "R053"
TEACHING = Teaching(Turn(SAME, "it is slower", "it is faster", "it is open"), "fig-a", (lambda _: "Do it.",))


class Costly(Chapter):
    def needs(self, parameters: Any) -> Any:
        return SimpleNamespace(disk_bytes=8_900_000_000)


def a_run(*clock: str) -> Run:
    """Trials of a minute that began at these times of a day, a block each."""
    started = [f"2026-01-17T{each}:00+00:00" for each in clock]
    blocks = range(len(started))
    return run_of(
        pd.DataFrame({"trial": blocks, "block": blocks, "session": 0, "started_at": started, "duration_s": 60.0})
    )


def summarized(run: Run) -> Asked:
    ratio = Effect(1.3, 1.2, 1.4, 8, PAIRED_LOG_T, 0.95, "ratio", 0.01)
    estimand = Estimand(lambda summary: ratio, Quantity.COUNTER)
    answer = Answer(SAME, estimand, "fig-a", said="both are the same", seen="one takes {} times as long")
    return Costly(Answers((answer,))).summarize(run)


EVERY_HALF_HOUR = a_run("10:00", "10:30", "11:00", "11:30", "12:00", "12:30")


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


@pytest.mark.parametrize(
    ("run", "minutes"),
    [
        (a_run("10:00", "10:01", "20:00"), 3),
        (a_run("10:00", "10:06", "10:12"), 13),
        (run_of(a_run("10:00", "10:06", "10:12").trials.drop(columns="started_at")), 3),
    ],
    ids=["a pause between sessions is none of it", "what lies between trials is", "nobody knows when it was"],
)
def test_measuring_takes_as_long_as_its_sessions(run: Run, minutes: int) -> None:
    assert opening(summarized(run), TEACHING).cost.startswith(f"3 blocks took {minutes} minutes here")


def test_a_number_of_a_claim_that_the_chapter_does_not_answer_is_a_mistake() -> None:
    with pytest.raises(BenchbookError, match="says nothing about the claim L001"):
        opening(summarized(EVERY_HALF_HOUR), replace(TEACHING, numbers=("L001",)))
