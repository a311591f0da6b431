"""How sure an answer is: by its blocks, its sessions, and what became of the claims."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook import lab
from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.shape.certainty import sure
from benchbook.model import Outcome, Part


def measured(sessions: list[int], kind: Kind = Kind.MEASUREMENT, contended: tuple[int, ...] = ()) -> Any:
    run, chapter = SimpleNamespace(blocks=len(sessions), parts=()), SimpleNamespace(kind=kind)
    return SimpleNamespace(sessions=np.array(sessions), run=run, chapter=chapter, contended=contended)


def verdicts(*outcomes: Outcome) -> list[Any]:
    return [SimpleNamespace(outcome=outcome, departs="") for outcome in outcomes]


HELD, NOT, MOVED, OPEN, IDLE = (
    Outcome.REPRODUCED,
    Outcome.CONTRADICTED,
    Outcome.ENVIRONMENT,
    Outcome.INCONCLUSIVE,
    Outcome.MECHANISM,
)


MOVES, WIDE = "open because this machine's speed varies too much", "open because the interval is too wide"


@pytest.mark.parametrize(
    ("outcomes", "words"),
    [
        ((HELD, NOT), "Both judged claims are decided."),
        (
            (HELD, MOVED, MOVED, OPEN, IDLE, Outcome.NOT_A_MEASUREMENT),
            f"Of 5 judged claims 1 is decided; 2 {MOVES}, 1 {WIDE}, "
            "1 open because the claimed cause did not act in our run.",
        ),
        ((MOVED, OPEN), f"Of 2 judged claims none is decided; 1 {MOVES}, 1 {WIDE}."),
        ((HELD,), "The one judged claim is decided."),
        ((OPEN,), f"The one judged claim is {WIDE}."),
        ((Outcome.NOT_TESTABLE,), ""),
    ],
)
def test_claims_are_counted_by_what_became_of_them(outcomes: tuple[Outcome, ...], words: str) -> None:
    said = sure(measured([0, 0, 1]), verdicts(*outcomes))
    assert said == f"3 blocks in 2 sessions, each with every configuration; 95 % intervals. {words}".strip()


def test_what_more_data_of_the_same_design_would_not_decide_is_told_apart() -> None:
    given = [*verdicts(HELD, OPEN), SimpleNamespace(outcome=OPEN, departs="20 clients instead of 100")]
    assert sure(measured([0, 0]), given).endswith(
        f"Of 3 judged claims 1 is decided; 1 {WIDE}, 1 open because the claim's conditions are not those of "
        "this run, or are not named."
    )


def test_that_a_run_is_only_short_is_no_departure_of_its_design() -> None:
    short = "2 blocks instead of at least 6"
    given = [SimpleNamespace(outcome=OPEN, departs=each) for each in (short, short, f"{short}; 20 clients")]
    assert sure(measured([0, 0]), given).endswith(
        "Of 3 judged claims none is decided; 2 open because too few blocks have been measured so far, 1 open because "
        "the claim's conditions are not those of this run, or are not named."
    )


def test_blocks_of_one_session_say_so() -> None:
    assert sure(measured([0, 0]), []) == "2 blocks in one session, each with every configuration; 95 % intervals."
    assert sure(measured([0, 0], Kind.SIMULATION), []) == "2 batches of simulated runs, 95 % intervals."


def test_a_run_of_several_hosts_names_them() -> None:
    mixed = measured([0, 0, 1])
    mixed.run.parts = (
        Part("a", 2, {"processor": "Intel(R) Xeon(R) Processor", "cores": 2}),
        Part("b", 1, {"processor": "AMD EPYC", "cores": 4}),
    )
    assert sure(mixed, verdicts(HELD)) == (
        "3 blocks in 2 sessions, each with every configuration; 95 % intervals. They were measured on 2 kinds of host, "
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
