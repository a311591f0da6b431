"""Kinds of host, and whether a number lies apart on them: never because one session is unlike the others."""

from typing import Any

import numpy as np
import pytest
from made_up import AMD, AMD_NAME, ARMS, INTEL, INTEL_NAME, Chapter, session, together

from benchbook.model import Estimate, Part
from benchbook.numbers import host_kinds, hosts
from benchbook.numbers.algebra import measured
from benchbook.numbers.answers import Answers

TIME = measured("time_ns")
RATIO = (TIME["changed"] / TIME["base"]).compute


def measured(amd: list[float], intel: list[float], *, blocks: int = 4, noise: float = 0.02) -> Any:
    """A summary of a session with each of these log ratios on each of two processors."""
    every = [(level, AMD) for level in amd] + [(level, INTEL) for level in intel]
    made = [
        session(24 * place, float(np.exp(level)), host=host, blocks=blocks, noise=noise)
        for place, (level, host) in enumerate(every)
    ]
    return Chapter(Answers(), ARMS).summarize(together(*made))


def apart(summary: Any) -> dict[str, Estimate]:
    return hosts.apart(summary, RATIO)


def test_two_processors_with_two_clean_answers_lie_apart_with_what_is_known_of_them() -> None:
    summary = measured([-0.04, -0.03], [0.80, 0.81])
    assert [(kind.name, kind.told, len(kind.blocks), kind.parts) for kind in hosts.kinds(summary)] == [
        (AMD_NAME, "kernel 6.18-a", 8, (0, 1)), (INTEL_NAME, "kernel 6.18-b", 8, (2, 3)),
    ]  # fmt: skip
    found = apart(summary)
    assert {name: round(float(np.log(each.point)), 3) for name, each in found.items()} == {
        AMD_NAME: -0.035, INTEL_NAME: 0.805,
    }  # fmt: skip


def test_builds_of_the_kernel_and_what_a_call_costs_are_told_and_tell_no_kinds_apart() -> None:
    costs = ({"system": "Linux a", "system_call_ns": 328.0}, {"system": "Linux b", "system_call_ns": 586.0})
    run = together(*(session(24 * place, host=AMD | cost) for place, cost in enumerate(costs)))
    [kind] = hosts.kinds(Chapter(Answers(), ARMS).summarize(run))
    assert kind.told == "kernel a, b, a system call costs 328 to 586 ns"
    stepping = AMD | {"processor_model": "25-17-2-1024 KB"}
    run = together(session(0), session(1, host=stepping))
    assert len(hosts.kinds(Chapter(Answers(), ARMS).summarize(run))) == 2, "the stepping does"


@pytest.mark.parametrize(
    ("others", "words"),
    [
        ({"processor": "Intel Xeon"}, "AMD EPYC with 2 cores (1 block) and Intel Xeon with 2 cores (2 blocks)"),
        ({}, "AMD EPYC 25-17-1 with 2 cores (1 block) and AMD EPYC 26-2-1 with 2 cores (2 blocks)"),
    ],
)
def test_kinds_are_told_in_as_few_words_as_tell_them_apart(others: dict[str, Any], words: str) -> None:
    one = AMD | {"cores": 2}
    parts = [Part("a", 1, one), Part("b", 2, one | {"processor_model": "26-2-1-1024 KB"} | others)]
    assert host_kinds.mixture(parts) == f"2 kinds of host, {words}"


def test_one_kind_or_equal_kinds_do_not_lie_apart() -> None:
    assert apart(measured([0.1, 0.5, 0.9], [])) == {}
    assert apart(measured([0.0, 0.0], [0.0, 0.0], noise=0.2)) == {}


def test_sessions_that_differ_by_themselves_are_not_taken_for_hosts() -> None:
    """Their blocks agree so well that intervals over them lie apart; sessions of one kind differ as much."""
    assert apart(measured([-0.2, 0.3], [0.5, 0.1], noise=0.01)) == {}
    assert apart(measured([0.0], [0.5], noise=0.01)) == {}, "one session each tells nothing"


def test_a_kind_with_a_single_block_is_left_out() -> None:
    summary = Chapter(Answers(), ARMS).summarize(together(session(0), session(24), session(48, host=INTEL, blocks=1)))
    assert [kind.name for kind in hosts.kinds(summary)] == [AMD_NAME]
