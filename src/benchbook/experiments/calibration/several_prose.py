"""Sentences with numbers about runs over several sessions, computed from the run on the page."""

from __future__ import annotations

from collections.abc import Sequence

from benchbook.experiments.calibration import several
from benchbook.experiments.calibration.arms import ALIKE, KNOWN, LEVELS, STATES, UNEQUAL
from benchbook.experiments.calibration.moving import DECIDED, FALSE_OWN, FALSE_QUIET, KINDS
from benchbook.experiments.calibration.moving_prose import said
from benchbook.experiments.calibration.several import ARMS, BLOCKS, QUIET, Design
from benchbook.experiments.calibration.several_figures import MOVED, TARGET, covered, factor
from benchbook.experiments.calibration.simulation.several import KINDS as AGREED
from benchbook.experiments.calibration.summary import Summary
from benchbook.figures import Prose
from benchbook.model import Estimate


def told(summary: Summary) -> Prose:
    """Whether sessions as replicates keep what was expected of them."""
    every = several.designs(summary)
    least, most = covered(summary)
    blocks = min((each for each in every if each.arms == UNEQUAL), key=lambda each: _lowest_by_blocks(summary, each))
    moving = [state for state in summary.parameters.states if state != "quiet"]
    far = max((several.worst_ruling(summary, each, FALSE_QUIET)[1] for each in every), key=lambda each: each.point)
    own = max((several.worst_ruling(summary, each, FALSE_OWN)[1] for each in every), key=lambda each: each.point)
    text = (
        f"Over all states {100 * least:.1f} to {100 * most:.1f} % of the intervals over sessions hold the mean of all "
        f"sessions, by design ({TARGET[0]:g} to {TARGET[1]:g} % were expected). With blocks as replicates it is as few "
        f"as {100 * _lowest_by_blocks(summary, blocks):.0f} % in one state of the machine."
    )
    if moving:
        quiet = min(_moving(summary, each, moving).point for each in every)
        text += (
            f" Widened by w, at least {100 * quiet:.1f} % hold the quiet machine's ratio, over the states that move "
            f"({MOVED:g} % were expected); on the quiet machine w is zero and the interval remains one of 95 %."
        )
    text += (
        f" At worst {said(far)} of the runs end in a verdict that is untrue of the quiet machine, and {said(own)} in "
        "one that is untrue of the mean over all sessions."
    )
    return Prose(text)


def widths(summary: Summary) -> Prose:
    """How wide the intervals over sessions are, and what sessions that agree are worth for levels and dips."""
    return Prose(f"{_widths(summary)}\n\n{_levels(summary)}")


def levels(summary: Summary) -> Prose:
    """What is lost where the quiet level is not known but read from other sessions."""
    every = several.of_levels(summary)
    far, decided = {}, {}
    for level in LEVELS:
        of_level = [each for each in every if each.level == level]
        far[level] = _farthest(summary, level)
        shares = [several.ruling(summary, each, DECIDED).point for each in of_level]
        decided[level] = sum(shares) / len(shares)
    said_of = [
        f"{LEVELS[level]}, in {said(each)} of the runs (machine “{STATES[state]}”), with {100 * decided[level]:.0f} % "
        "of the claims decided"
        for level, (state, each) in far.items()
    ]
    text = (
        "So far the quiet level of the canary was known. The book has to read it from its other sessions on the same "
        f"kind of processor, {summary.parameters.level_sessions} of them here, and direct reads are a noisy canary. At "
        f"worst a verdict is then untrue of the quiet machine, with the level {'; '.join(said_of)}."
    )
    if several.NEVER_QUIET in summary.parameters.states:
        blind = [
            several.worst_ruling(summary, each, FALSE_QUIET, states=[several.NEVER_QUIET])[1]
            for each in every
            if each.level != KNOWN
        ]
        worst = max(blind, key=lambda each: each.point)
        text += (
            " A machine that is slow in every session never shows its quiet level. Then w is next to nothing, and if "
            f"one arm feels the machine and the other does not, up to {said(worst)} of the verdicts are untrue of a "
            "quiet machine, though true of the machine as it was."
        )
    return Prose(text)


def with_levels_read(summary: Summary) -> str:
    """The worst case of the rule as this book applies it, in a sentence."""
    found = max((_farthest(summary, level)[1] for level in LEVELS if level != KNOWN), key=lambda each: each.point)
    return (
        "That is with the machine's quiet level known. Where it is read from other sessions, as in this book, the "
        f"worst case is {said(found)}, and far worse on a machine that is never quiet."
    )


def _farthest(summary: Summary, level: str) -> tuple[str, Estimate]:
    """The state of a machine that is sometimes quiet in which most verdicts are untrue, and how many."""
    often = several.sometimes_quiet(summary)
    every = [each for each in several.of_levels(summary) if each.level == level]
    found = [several.worst_ruling(summary, each, FALSE_QUIET, states=often) for each in every]
    return max(found, key=lambda each: each[1].point)


def _lowest_by_blocks(summary: Summary, design: Design) -> float:
    return several.lowest(summary, several.share, design, BLOCKS)[1].point


def _moving(summary: Summary, design: Design, states: Sequence[str]) -> Estimate:
    return several.share(summary, design, QUIET, states)


def _widths(summary: Summary) -> str:
    p = summary.parameters
    blocks = max(p.patience_blocks)
    parts = [
        f"{each.sessions} sessions {factor(summary, each, 'half_width'):.1f} % and {factor(summary, each, 'w'):.1f} %"
        for each in several.designs(summary)
        if each.arms == ALIKE and each.blocks == blocks
    ]
    return (
        f"Mean half-width of the interval, and what w adds to each side, for {ARMS[ALIKE]} and {blocks} blocks a "
        f"session: {'; '.join(parts)}. A ratio differs by {p.session_sd:.1%} from session to session here."
    )


def _levels(summary: Summary) -> str:
    """What sessions that agree are worth where the sessions are so many."""
    least = min(several.designs(summary), key=lambda each: (each.sessions, each.blocks, each.arms == ALIKE))
    parts = [
        f"{KINDS[kind]}: {said(several.worst_ruling(summary, least, FALSE_OWN, [kind])[1])} at worst, decided in "
        f"{said(several.ruling(summary, least, DECIDED, [kind]))} of the runs"
        for kind in AGREED
    ]
    return (
        "Levels and dips are decided where the interval over the sessions decides and each session's own number lies "
        f"on that side. With {least.sessions} sessions of {least.blocks} blocks such a verdict is untrue of the mean "
        f"over all sessions so often: {'; '.join(parts)}."
    )
