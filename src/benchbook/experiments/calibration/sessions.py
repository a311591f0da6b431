"""What the page names of runs over several sessions: untrue verdicts, what is decided, luck and hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any

from benchbook.experiments.calibration import several
from benchbook.experiments.calibration.arms import ALIKE, CLOSE, FAR, FEELING, STATES, hosts_name
from benchbook.experiments.calibration.several import ARMS, NEVER_QUIET, NOTHING, SAME, Design
from benchbook.experiments.calibration.simulation.luck import BLOCKS, MEANS, SPLITS, WIDER
from benchbook.experiments.calibration.simulation.several import (
    DATES,
    DAY,
    KINDS,
    LEVELS,
    QUIET,
    SLOPES,
    STATES_MET,
)
from benchbook.experiments.calibration.summary import Share, Summary
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate

EXPECTED = {ALIKE: 0.9, CLOSE: 1.3, FAR: 5.3}
"""In %, untrue of the states met at worst, by pair of arms, when the rule was amended. Source: the statistical
protocol, item 20d, 2026-11-26."""
EXPECTED_FOLLOWING = {ALIKE: 0.3, CLOSE: 8, FAR: 20}
"""And where a session's state follows the last one's."""
EXPECTED_POWER = {4: 92, 2: 67}
"""In % of the runs, by blocks of a session: no effect is told from 14 % more."""


def _met(summary: Summary, rule: str, states: list[str]) -> dict[str, Share]:
    """Verdicts untrue of the states met at worst, by pair of arms."""
    return {arms: Share(several.error(summary, arms, rule, STATES_MET, states).share) for arms in FEELING}


def _quiet(summary: Summary) -> dict[str, SimpleNamespace]:
    """Verdicts untrue of the quiet machine at worst, by pair of arms, and where that is."""
    found = {arms: several.error(summary, arms, DATES, QUIET, summary.parameters.states) for arms in FEELING}
    return {arms: SimpleNamespace(state=STATES[each.state], share=Share(each.share)) for arms, each in found.items()}


def _decided(summary: Summary, rule: str, claim: str, designs: Iterable[Design], states: Iterable[str] = ()) -> float:
    return 100 * several.decided(summary, ALIKE, rule, claim, designs, states).point


def _decided_by(rule: str) -> Callable[[Summary], float]:
    return lambda summary: _decided(summary, rule, NOTHING, several.designs(summary))


def _fewest_sessions(summary: Summary) -> list[SimpleNamespace]:
    """What the designs with the fewest sessions decide of equal arms; quiet: on a quiet machine, where it is there."""
    every = several.designs(summary)
    calm = [state for state in ("quiet",) if state in summary.parameters.states]
    return [
        SimpleNamespace(
            words=each.words,
            decided=_decided(summary, DATES, NOTHING, [each]),
            quiet=_decided(summary, DATES, NOTHING, [each], calm) if calm else None,
            expected=EXPECTED_POWER.get(each.blocks),
        )
        for each in every
        if each.sessions == every[0].sessions
    ]


def _no_effect(place: int) -> Callable[[Summary], SimpleNamespace]:
    def found(summary: Summary) -> SimpleNamespace:
        design = several.designs(summary)[place]
        return SimpleNamespace(words=design.words, decided=_decided(summary, DATES, SAME, [design]))

    return found


def _luck(summary: Summary) -> SimpleNamespace:
    """Coverage of means, blocks and the wider, where sessions agree by luck and where they differ most; all in %."""
    shown, sds = several.luck_design(summary), summary.parameters.session_sds
    least, most = min(sds), max(sds)

    def percent(sd: float, count: str, of: str = "") -> float:
        return 100 * several.luck(summary, sd, shown, count, of).point

    lucky = percent(least, "lucky")
    held = {way: percent(least, f"{way}_lucky_covered", "lucky") for way in (MEANS, WIDER)} if lucky else {}
    return SimpleNamespace(
        design=shown, least=100 * least, most=100 * most, lucky=lucky,
        held_means=held.get(MEANS), held_wider=held.get(WIDER),
        blocks=percent(most, f"{BLOCKS}_covered"), wider=percent(most, f"{WIDER}_covered"),
        alarms_means=percent(least, f"{MEANS}_alarms"), alarms_wider=percent(least, f"{WIDER}_alarms"),
        alarms_blocks_most=percent(most, f"{BLOCKS}_alarms"), alarms_wider_most=percent(most, f"{WIDER}_alarms"),
    )  # fmt: skip


def _hosts(summary: Summary) -> list[SimpleNamespace]:
    """How often "depends on the host" is said, by true factor and split: without and with the F test, in %."""
    cell = hosts_name(max(summary.parameters.session_sds))
    return [
        SimpleNamespace(
            ratio=ratio,
            splits=[
                SimpleNamespace(
                    sessions=split,
                    plain=100 * several.hosts(summary, cell, split, ratio, "apart").point,
                    test=100 * several.hosts(summary, cell, split, ratio, "told").point,
                )
                for split in SPLITS
            ],
        )
        for ratio in summary.parameters.host_ratios
    ]


def _levels(summary: Summary) -> SimpleNamespace:
    """How often "also on a quiet machine" is untrue, by how the quiet level is found; blind: where it is never seen."""
    states = summary.parameters.states
    often = [state for state in states if state != NEVER_QUIET]
    if not often:
        raise NotEstimableError("this run simulated no machine that is quiet at times", "ask for one in states")
    known, read, noisy = (several.error(summary, FAR, level, QUIET, often) for level in LEVELS)
    blind = several.error(summary, FAR, LEVELS[1], QUIET, [NEVER_QUIET]) if NEVER_QUIET in states else None
    return SimpleNamespace(
        known=Share(known.share), read=Share(read.share), state=STATES[read.state], noisy=Share(noisy.share),
        blind=None if blind is None else Share(blind.share),
    )  # fmt: skip


def _standing(summary: Summary) -> dict[str, Share]:
    """What sessions that agree are worth for levels and dips."""
    if not several.independent(summary):
        raise NotEstimableError("this run simulated no independent sessions", "ask for some in states")
    return {kind: Share(several.standing_error(summary, kind)) for kind in KINDS}


def _turns(summary: Summary) -> Estimate:
    """Of unequal arms that took turns, where each session follows the last."""
    return several.error(summary, FAR, DATES, STATES_MET, several.following(summary)).share


SPOKEN: Mapping[str, Callable[[Summary], Any]] = {
    "feeling": lambda summary: FEELING,
    "pair": lambda summary: ARMS,
    "expected_met": lambda summary: EXPECTED,
    "expected_following": lambda summary: EXPECTED_FOLLOWING,
    "met": lambda summary: _met(summary, DATES, several.independent(summary)),
    "met_following": lambda summary: _met(summary, DAY, several.following(summary)),
    "met_in_turns": lambda summary: Share(_turns(summary)),
    "quiet": _quiet,
    "fewest_sessions": _fewest_sessions,
    "decided_in_all": _decided_by(DATES),
    "decided_earlier": _decided_by(SLOPES),
    "no_effect_least": _no_effect(0),
    "no_effect_most": _no_effect(-1),
    "luck_of": _luck,
    "host_shares": _hosts,
    "quiet_levels": _levels,
    "standing_errors": _standing,
}
