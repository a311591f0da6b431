"""Sentences with numbers about machines that move, computed from the run on the page."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook.experiments.calibration.arms import FEELING, SENSITIVITIES, STATES
from benchbook.experiments.calibration.moving import DECIDED, FALSE_OWN, FALSE_QUIET, KINDS, cases, share, worst
from benchbook.experiments.calibration.simulation import machine
from benchbook.experiments.calibration.summary import Summary
from benchbook.figures import Prose
from benchbook.model import Estimate

EXPECTED_FALSE, EXPECTED_TWO, EXPECTED_LARGE = 0.007, 0.98, 0.99
"""What the simulation said by which the rule for one session was chosen: false verdicts about the quiet machine at
most, and how often ratios of 2 and of 24 are decided. Source: the statistical protocol, item 20, amended 2026-11-22."""
EXPECTED_OWN = 0.0
"""And false verdicts about the machine as it was, at most."""
EXPECTED_EARLIER, EXPECTED_WORST = 0.21, 0.95
"""What it said of the veto: share of decided claims, and false verdicts in the worst state."""
LARGE = 2.0
"""The ratio by which the rules are compared."""


def machines(summary: Summary) -> Prose:
    """What the simulated machines do, in numbers."""
    p = summary.parameters
    pairs = "; ".join(f"{base:g} and {changed:g}" for base, changed in SENSITIVITIES.values())
    burst = 100 * ((1 + p.slower_percent / 100) ** 2 - 1)
    return Prose(
        f"A session has {p.state_blocks} blocks of {machine.ARMS} trials in random order: baseline, A/A arm, changed "
        f"arm. A jump, a level shift and the middle of a trend make the machine {p.slower_percent:g} % slower, a burst "
        f"{burst:.0f} %. On a logarithmic scale, baseline and changed arm are slowed by these shares of it: {pairs}. "
        f"The canary is slowed by all of it; its readings on a quiet machine lie within {100 * machine.SPREAD:.2g} % "
        "of each other. The true ratios on the quiet machine are "
        f"{', '.join(f'{ratio:g}' for ratio in sorted(p.state_ratios))}; some of them are on the edge of a claim.\n\n"
        f"Runs of four sessions or more have {_either(p.patience_sessions)} sessions of {_either(p.patience_blocks)} "
        f"blocks, and their trials spread by {100 * p.patience_trial_sd:g} %. There the baseline feels all of the "
        f"machine's slowdown, the changed arm {_either(FEELING.values())} of it."
    )


def _either(values: Iterable[float]) -> str:
    return " or ".join(f"{value:g}" for value in values)


def moving(summary: Summary) -> Prose:
    """What the rules for one session make of claims on the ratio of two arms, and what was expected of them."""
    everything = cases(summary)
    state, high = _highest(summary, FALSE_QUIET)
    _, own = _highest(summary, FALSE_OWN)
    decided = {rule: share(summary, rule, DECIDED, everything) for rule in ("none", "earlier", "new")}
    case, far = worst(summary, "new", FALSE_QUIET, everything)
    earlier, none = (worst(summary, rule, FALSE_QUIET, everything)[1] for rule in ("earlier", "none"))
    against = "more than" if high.low > EXPECTED_FALSE else "no more than"
    return Prose(
        f"From one session, the widened interval decides {said(decided['new'])} of all claims on the ratio of two "
        f"arms, the veto {said(decided['earlier'])} ({_expected(EXPECTED_EARLIER)}), the interval alone "
        f"{said(decided['none'])}. In the state where the widened interval is worst ({STATES[state]}), {said(high)} of "
        "its runs end in a verdict that is untrue for the quiet machine, averaged over claims, true ratios and arms: "
        f"{against} the {100 * EXPECTED_FALSE:g} % expected. At most {said(own)} are untrue for the machine as it was "
        f"while measured ({_expected(EXPECTED_OWN)}; here some true ratios are on the edge of a claim, where chance "
        f"decides).\n\nIn its worst single combination, it is wrong about the quiet machine in {said(far)} of the runs "
        f"({case.words}). The veto's worst is {said(earlier)} ({_expected(EXPECTED_WORST)}), that of the interval "
        f"alone {said(none)}."
    )


def gist(summary: Summary) -> str:
    """The same in a sentence, for the chapter's lesson."""
    high, earlier = (_highest(summary, FALSE_QUIET, rule)[1] for rule in ("new", "earlier"))
    _, far = worst(summary, "new", FALSE_QUIET, cases(summary))
    return (
        "With fewer sessions, an interval widened by the machine's movement gives a verdict that is untrue for the "
        f"quiet machine in {said(high)} of the runs on average in its worst state, and in {said(far)} in its worst "
        "single case. The book's first rule, which gave no verdict when a small fixed load timed beside every block "
        f"moved, was untrue in {said(earlier)} on average in its worst state."
    )


def _highest(summary: Summary, count: str, rule: str = "new") -> tuple[str, Estimate]:
    """The state in which a rule errs most, averaged over claims, true ratios and arms, and that share."""
    found = {s: share(summary, rule, count, cases(summary, states=[s])) for s in summary.parameters.states}
    return max(found.items(), key=lambda each: each[1].point)


def large(summary: Summary) -> Prose:
    """How often large ratios are decided, overall and with arms that feel a movement more alike."""
    ratios = summary.parameters.state_ratios
    near = [name for name, (base, changed) in SENSITIVITIES.items() if abs(base - changed) <= 0.5]
    parts = []
    for ratio in sorted({LARGE, max(ratios)} & {each for each in ratios if each >= LARGE}):
        tried = cases(summary, claims=["greater"], ratios=[ratio])
        alike = cases(summary, claims=["greater"], ratios=[ratio], arms=near)
        expected = EXPECTED_TWO if ratio == LARGE else EXPECTED_LARGE
        parts.append(
            f"If the true ratio is {ratio:g}, the widened interval decides a claim of “greater than 1” in "
            f"{said(share(summary, 'new', DECIDED, tried))} of the runs, and in "
            f"{said(share(summary, 'new', DECIDED, alike))} if the arms' sensitivities differ by half or less "
            f"({_expected(expected)}). The veto lets it be decided in "
            f"{said(share(summary, 'earlier', DECIDED, tried))}."
        )
    return Prose("\n\n".join(parts) or "This run simulated no large ratios.")


def agreed(summary: Summary) -> Prose:
    """What two sessions that agree are worth for levels, shapes and spreads."""
    parts = []
    for kind, name in KINDS.items():
        tried = cases(summary, claims=[kind])
        parts.append(
            f"{name}: {said(share(summary, 'new', FALSE_QUIET, tried))} of the runs on average, "
            f"{said(worst(summary, 'new', FALSE_QUIET, tried)[1])} at worst"
        )
    own = worst(summary, "new", FALSE_OWN, cases(summary, claims=KINDS))[1]
    return Prose(
        f"Two sessions that agree describe the machine as it was in both, and no more: at worst {said(own)} of the "
        f"verdicts are untrue for that. Both can be wrong about the quiet machine in the same way ({'; '.join(parts)})."
    )


def said(estimate: Estimate) -> str:
    """A share in % with its interval, with more digits where it is small."""
    digits = 1 if estimate.point >= 0.1 else 2
    return f"{100 * estimate.point:.{digits}f} % [{100 * estimate.low:.{digits}f}, {100 * estimate.high:.{digits}f}]"


def _expected(value: float) -> str:
    return f"{100 * value:g} % were expected"
