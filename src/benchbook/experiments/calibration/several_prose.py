"""Sentences with numbers about runs over several sessions, computed from the run on the page."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook.experiments.calibration import several
from benchbook.experiments.calibration.arms import ALIKE, CLOSE, FAR, FEELING, STATES, hosts_name
from benchbook.experiments.calibration.moving_prose import said
from benchbook.experiments.calibration.several import ARMS
from benchbook.experiments.calibration.several_figures import NOTHING, SAME, luck_design
from benchbook.experiments.calibration.simulation.luck import BLOCKS, LUCKY, MEANS, SPLITS, WIDER
from benchbook.experiments.calibration.simulation.several import (
    DATES,
    DAY,
    KINDS,
    LEVELS,
    QUIET,
    SLOPES,
    STATES_MET,
)
from benchbook.experiments.calibration.summary import Summary
from benchbook.figures import Prose

EXPECTED = {ALIKE: 0.9, CLOSE: 1.3, FAR: 5.3}
"""In %, untrue of the states met at worst, by pair of arms, when the rule was amended. Source: the statistical
protocol, item 20d, 2026-11-26."""
EXPECTED_FOLLOWING = {ALIKE: 0.3, CLOSE: 8, FAR: 20}
"""And where a session's state follows the last one's."""
EXPECTED_POWER = {4: 92, 2: 67}
"""In % of the runs, by blocks of a session: no effect is told from 14 % more."""
FAILS = 0.05
"""The share of untrue verdicts above which a rule has failed."""
_WORDS = {"level": "of levels", "shape": "of dips"}
_HALF = "half" if LUCKY == 0.5 else f"{LUCKY:g} times"


def told(summary: Summary) -> Prose:
    """What the present rule is worth about the states met, about the quiet machine, and what it decides."""
    parts = [" ".join(filter(None, (_states(summary), _fails(summary)))), _quiet(summary), _power(summary)]
    return Prose("\n\n".join(part for part in parts if part))


def states_met(summary: Summary) -> str:
    """The same in a sentence or two, for the chapter's lesson."""
    free, tied = several.independent(summary), several.following(summary)
    parts = []
    if free:
        alike, far = (several.error(summary, arms, DATES, STATES_MET, free).share for arms in (ALIKE, FAR))
        parts.append(
            f"From four independent sessions on, at most {said(alike)} of the runs end in a verdict that is untrue of "
            f"the machine in the states that it was met in, if both arms feel it alike, and {said(far)} if one feels "
            f"{FEELING[FAR]:g} of what the other does."
        )
    if tied:
        far = several.error(summary, FAR, DAY, STATES_MET, tied).share
        parts.append(f"Where each session follows the last, the latter share is {said(far)}.")
    return " ".join(parts)


def _states(summary: Summary) -> str:
    free = several.independent(summary)
    if not free:
        return ""
    alike, *others = (
        (
            f"{said(several.error(summary, arms, DATES, STATES_MET, free).share)}",
            f"({EXPECTED[arms]:g} % expected)",
            arms,
        )
        for arms in FEELING
    )
    rest = ", and in ".join(
        f"{share} where one feels {FEELING[arms]:g} of what the other does {beside}" for share, beside, arms in others
    )
    return (
        "From four sessions on, a verdict is about the machine in the states that it was met in. If sessions are "
        f"independent of each other, it is untrue in at most {alike[0]} of the runs where both arms feel the machine "
        f"alike {alike[1]}, in {rest}."
    )


def _fails(summary: Summary) -> str:
    tied = several.following(summary)
    if not tied:
        return ""
    found = {arms: several.error(summary, arms, DAY, STATES_MET, tied).share for arms in FEELING}
    turns = several.error(summary, FAR, DATES, STATES_MET, tied).share
    rest = " and ".join(
        f"{said(share)} at {ARMS[arms]} ({EXPECTED_FOLLOWING[arms]:g} % expected)"
        for arms, share in found.items()
        if arms != FAR
    )
    verb = "fails" if found[FAR].low > FAILS else "is weakest"
    return (
        f"The rule {verb} where arms are as unequal as {ARMS[FAR]} and each session follows the last, as sessions of "
        f"one day may (correlation {summary.parameters.following:g}): then up to {said(found[FAR])} of the runs end in "
        f"an untrue verdict ({EXPECTED_FOLLOWING[FAR]:g} % expected; {100 * turns.point:.0f} % with the smaller margin "
        f"of arms that took turns), against {rest}."
    )


def _quiet(summary: Summary) -> str:
    states = summary.parameters.states
    found = {arms: several.error(summary, arms, DATES, QUIET, states) for arms in FEELING}
    parts = [f"{100 * each.share.point:.0f} % at {ARMS[arms]}" for arms, each in found.items() if arms != ALIKE]
    return (
        f"About a quiet machine such a verdict may well be untrue: in up to {' and '.join(parts)} (machine "
        f"“{STATES[found[FAR].state]}”), but in no more than {said(found[ALIKE].share)} where both arms feel the "
        "machine alike. That is why the book prints beside each verdict whether it also holds for a quiet machine."
    )


def _power(summary: Summary) -> str:
    every = several.designs(summary)
    least, most = every[0], every[-1]
    calm = [state for state in ("quiet",) if state in summary.parameters.states]
    parts = []
    for design in [each for each in every if each.sessions == least.sessions]:
        expected = EXPECTED_POWER.get(design.blocks)
        beside = f"; {expected} % expected" if expected else ""
        quiet = f" ({_decided(summary, DATES, NOTHING, [design], calm)} on a quiet machine{beside})" if calm else ""
        parts.append(f"{_decided(summary, DATES, NOTHING, [design])} of the runs of {design.words}{quiet}")
    return (
        f"If two arms are equal, a claim of 14 % more is decided in {' and '.join(parts)}. Over all designs that is "
        f"{_decided(summary, DATES, NOTHING, every)}; the earlier rule decided "
        f"{_decided(summary, SLOPES, NOTHING, every)}. That a setting has no effect within 5 % is harder to find: "
        f"{_decided(summary, DATES, SAME, [least])} of the runs of {least.words}, "
        f"{_decided(summary, DATES, SAME, [most])} of those of {most.words}."
    )


def _decided(
    summary: Summary, rule: str, claim: str, designs: Iterable[several.Design], states: Iterable[str] = ()
) -> str:
    return f"{100 * several.decided(summary, ALIKE, rule, claim, designs, states).point:.0f} %"


def luck(summary: Summary) -> Prose:
    """What is the replicate: coverage of means, blocks and the wider, where sessions agree by luck and where not."""
    p, shown = summary.parameters, luck_design(summary)
    least, most = min(p.session_sds), max(p.session_sds)

    def percent(way: str, count: str, sd: float, digits: int = 1) -> str:
        return f"{100 * several.luck(summary, sd, shown, f'{way}_{count}').point:.{digits}f}"

    lucky = several.luck(summary, least, shown, "lucky")
    unlike = f"differ by {100 * least:g} %" if least else "do not differ"
    text = (
        f"In {100 * lucky.point:.1f} % of the runs of {shown.words}, whose sessions {unlike}, the means of sessions "
        f"agree by luck: the interval over them is at most {_HALF} as wide as that over blocks."
    )
    if lucky.point:
        held = {way: several.luck(summary, least, shown, f"{way}_lucky_covered", "lucky") for way in (MEANS, WIDER)}
        text += (
            f" Then it holds the truth in {100 * held[MEANS].point:.0f} % of the runs, the wider of the two in "
            f"{100 * held[WIDER].point:.0f} %."
        )
    return Prose(
        f"{text} Where sessions differ by {100 * most:g} %, blocks alone cover {percent(BLOCKS, 'covered', most)} %, "
        f"the wider {percent(WIDER, 'covered', most)} %. The A/A gate, a 99 % interval, stops "
        f"{percent(MEANS, 'alarms', least, 2)} % of sound runs by means alone and {percent(WIDER, 'alarms', least, 2)} "
        f"% by the wider interval; where sessions differ by {100 * most:g} %, {percent(BLOCKS, 'alarms', most)} % by "
        f"blocks alone and {percent(WIDER, 'alarms', most, 2)} % by the wider."
    )


def hosts(summary: Summary) -> Prose:
    """Why "depends on the host" asks for an F test too, and what that costs."""
    p = summary.parameters
    most = max(p.session_sds)
    lines = []
    for ratio in p.host_ratios:
        shares = []
        for split in SPLITS:
            plain, test = (
                100 * several.hosts(summary, hosts_name(most), split, ratio, count).point for count in ("apart", "told")
            )
            shares.append(f"{plain:.1f} and {test:.1f} % with {split[0]} + {split[1]} sessions")
        what = "The hosts do not differ" if ratio == 1 else f"They differ by a factor of {ratio:g}"
        lines.append(f"- *{what}*: {'; '.join(shares)}.")
    return Prose(
        f"Let sessions differ by {100 * most:g} %. A run says “depends on the host” this often, by intervals that have "
        "nothing in common alone, and with the F test as well:\n\n"
        + "\n".join(lines)
        + "\n\nWithout the test, one odd session passes for a host, because the interval of a host with fewer than "
        "four sessions is one over blocks. The test costs power where a host has two sessions; more restore it."
    )


def levels(summary: Summary) -> Prose:
    """What "also on a quiet machine" is worth, with the quiet level known and read from other sessions."""
    p = summary.parameters
    often = [state for state in p.states if state != several.NEVER_QUIET]
    if not often:
        return Prose("This run simulated no machine that is quiet at times.")
    known, read, noisy = (several.error(summary, FAR, level, QUIET, often) for level in LEVELS)
    text = (
        "What is said of a quiet machine rests on the canary's level and its slope within sessions. With the quiet "
        f"level known, “yes” is untrue in at most {said(known.share)} of the runs at {ARMS[FAR]}; with it read from "
        f"{p.level_sessions} other sessions, as in this book, in {said(read.share)} (machine “{STATES[read.state]}”); "
        f"by a noisy canary, such as direct reads, in {said(noisy.share)}."
    )
    if several.NEVER_QUIET in p.states:
        blind = several.error(summary, FAR, LEVELS[1], QUIET, [several.NEVER_QUIET])
        text += (
            " A machine that is slow in every session never shows its quiet level: then up to "
            f"{said(blind.share)} are untrue."
        )
    return Prose(text)


def standing(summary: Summary) -> Prose:
    """What sessions that agree are worth for levels and dips."""
    if not several.independent(summary):
        return Prose("This run simulated no independent sessions.")
    parts = [f"{said(several.standing_error(summary, kind))} {_WORDS[kind]}" for kind in KINDS]
    return Prose(
        "From four sessions on, levels and dips are decided where their interval decides and each session's own number "
        f"lies on that side. At worst that is untrue of the mean over all sessions for {' and '.join(parts)}."
    )
