"""How sure an answer is: by its blocks, its visits, and what became of the claims."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook import lab
from benchbook.figures.lesson import DECIDED
from benchbook.model import Outcome, Part
from benchbook.pages.certainty import OPEN, sure
from benchbook.parameters.kinds import Kind


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
    assert sure(measured([0, 0]), []) == "2 blocks in one visit, each with every configuration; 95 % intervals."
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
