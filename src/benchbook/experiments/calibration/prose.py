"""The chapter's sentences and tables with numbers, computed from the run that the page shows."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.calibration import catalogue, decisions
from benchbook.experiments.calibration.catalogue import ALL, SMALLEST
from benchbook.experiments.calibration.cells import LABELS, cell_name
from benchbook.experiments.calibration.families import STALLED
from benchbook.experiments.calibration.summary import Summary, book_table, table
from benchbook.experiments.calibration.verdict_figures import LIMIT, WORDS
from benchbook.experiments.calibration.worlds import FEW_MISSES
from benchbook.figures import Prose
from benchbook.model import Estimate

STRESS = LABELS["stalls"]
"""The family that no interval of a single configuration is made for; the others are the ones that it must hold in."""


def design(summary: Summary) -> Prose:
    """What was simulated, in numbers."""
    p, run = summary.parameters, summary.run
    text = (
        f"This page shows run `{run.id}` ({run.profile} profile): {p.blocks} batches of {p.repetitions:,} simulated "
        f"runs for each of {len(p.families)} families and runs of {_list(p.sizes)} blocks; seed {p.seed}, "
        f"{run.provenance['engine_version']}. The logarithms of trials spread by {p.between_block_sd:.1%} between "
        f"blocks and by about {p.between_trial_sd:.1%} between the trials of a block. A trial has {p.operations:,} "
        f"requests and {p.timelines_s[0]} seconds; successive seconds are correlated by {p.autocorrelation:g}. Of "
        f"{p.page_requests:,} page requests about {p.hit_ratio:.0%} are hits, or, with hardly any misses, all but "
        f"about {FEW_MISSES}."
    )
    if "stalls" in p.families:
        text += (
            f" In the family “{STRESS}” one trial in {1 / STALLED:.0f} is slower by a Pareto factor of tail index "
            f"{p.tail_index:g}."
        )
    return Prose(text)


def answer(summary: Summary) -> Prose:
    """What was found, in a few sentences."""
    found = book_table(summary)
    named, stressed = found[found["family"] != STRESS], found[found["family"] == STRESS]
    sentences = []
    if len(named):
        seldom = named[named["finding"] == "too seldom"]
        sentences.append(
            f"In the families that they are made for, the book's intervals were tried in {len(named)} combinations of "
            f"interval, family and number of blocks ({SMALLEST} or more) or seconds: {_findings(named)}."
        )
        sentences.append("None of them covers too seldom." if seldom.empty else f"Too seldom: {_lines(seldom)}.")
    if len(stressed):
        seldom = stressed[stressed["finding"] == "too seldom"]
        sentences.append(
            f"With {STRESS}: {_findings(stressed)}."
            + ("" if seldom.empty else f" Too seldom there: {'; '.join(dict.fromkeys(seldom['interval']))}.")
        )
    worst = _worst_false(summary)
    if worst is not None:
        sentences.append(
            f"Where there is nothing to find, at most {100 * worst.point:.2f} % "
            f"[{100 * worst.low:.2f}, {100 * worst.high:.2f}] of the verdicts on a ratio within blocks are false, "
            f"by any rule, in any family and with any number of blocks; the limit is {LIMIT:g} %."
        )
    return Prose(" ".join(sentences))


def exceptions(summary: Summary) -> pd.DataFrame | Prose:
    """Where a coverage is not as promised from six blocks up: one row per interval and finding, with the ranges.

    A sentence where there is nothing.
    """
    off = _off(summary)
    if off.empty:
        return Prose("No interval's coverage lies outside its target.")
    rows = [
        {
            "interval": interval,
            "covers": what,
            "families": _families(summary, part),
            "n": _list(part["n"].unique()),
            "coverage (%)": _range(part["coverage (%)"]),
        }
        for (interval, what), part in off.groupby(["interval", "finding"], sort=False)
    ]
    return pd.DataFrame(rows).set_index("interval")


def reasons(summary: Summary) -> Prose:
    """How each of these coverages comes about, and what follows."""
    found = list(dict.fromkeys(_off(summary)["interval"]))
    known = {each.label: each.remark for each in ALL.values()}
    by_remark: dict[str, list[str]] = {}
    for label in found:
        by_remark.setdefault(known[label] or "The reason is not known.", []).append(label)
    if not by_remark:
        return Prose("So nothing needs a reason here.")
    return Prose("\n".join(f"- *{', '.join(labels)}*: {remark}" for remark, labels in by_remark.items()))


def _off(summary: Summary) -> pd.DataFrame:
    found = book_table(summary)
    return found[found["finding"].isin(["too seldom", "too often"])]


def _families(summary: Summary, part: pd.DataFrame) -> str:
    names = list(dict.fromkeys(part["family"]))
    return "all" if len(names) > 1 and len(names) == len(summary.parameters.families) else ", ".join(names)


def wrong_coverage(summary: Summary) -> Prose:
    """Range of the coverage of each wrong way over all families, as in the figure."""
    found = table(summary, [each.name for each in (*catalogue.WRONG, *catalogue.WRONG_WITHIN)])
    enough = found[found["n"] >= SMALLEST]
    shown, which = (enough, f" from {SMALLEST} blocks up") if len(enough) else (found, "")
    parts = [f"{label} {_range(part['coverage (%)'])} %" for label, part in shown.groupby("interval", sort=False)]
    return Prose(f"Coverage where 95 % were promised, all families{which}: {'; '.join(parts)}.")


def gate(summary: Summary) -> Prose:
    """What the A/A gate costs, and how a plain significance test would do as a verdict."""
    cell = cell_name(summary.shown_family, summary.shown_size)
    runs = f"{decisions.effect_name(1.0)}_runs"
    sides = [summary.share(cell, f"{decisions.effect_name(1.0)}_{side}", runs) for side in ("above_1", "below_1")]
    excluded = sum(100 * each.point for each in sides if each is not None)
    return Prose(
        f"The A/A interval misses 1 in {excluded:.1f} % of sound runs ({LABELS[summary.shown_family]}, "
        f"{summary.shown_size} blocks), which then decide nothing. That is the price of the gate."
    )


def power(summary: Summary) -> Prose:
    """How many blocks each planted effect needs to be found in four runs of five."""
    parts = []
    for true_ratio in summary.parameters.effects[1:]:
        enough = [
            n
            for n in sorted(summary.parameters.sizes)
            if (found := summary.excluded(cell_name(summary.shown_family, n), true_ratio)) is not None
            and found.point >= 0.8
        ]
        name = f"{100 * (true_ratio - 1):g} %"
        parts.append(f"{name}: {enough[0]} blocks" if enough else f"{name}: more than {max(summary.parameters.sizes)}")
    return Prose(
        "Fewest of the simulated numbers of blocks at which at least 80 % of the runs find an effect of "
        f"{'; '.join(parts)} (family {LABELS[summary.shown_family]})."
    )


def _worst_false(summary: Summary) -> Estimate | None:
    found = [
        estimate
        for rule in WORDS
        for family in summary.parameters.families
        for n in summary.parameters.sizes
        if (estimate := summary.false_verdicts(rule, cell_name(family, n))) is not None
    ]
    return max(found, key=lambda each: each.point, default=None)


def _findings(found: pd.DataFrame) -> str:
    counts = found["finding"].value_counts()
    words = {
        "as promised": "as promised", "undecided": "too close to an edge of the target to tell",
        "too often": "more often than promised", "too seldom": "too seldom",
    }  # fmt: skip
    return ", ".join(f"{counts[name]} {text}" for name, text in words.items() if name in counts)


def _lines(found: pd.DataFrame) -> str:
    return "; ".join(
        f"{interval}, n = {_list(part['n'].unique())} ({_range(part['coverage (%)'])} %)"
        for interval, part in found.groupby("interval", sort=False)
    )


def _range(values: pd.Series) -> str:
    low, high = f"{values.min():.1f}", f"{values.max():.1f}"
    return low if low == high else f"{low} to {high}"


def _list(values: object) -> str:
    return ", ".join(str(value) for value in sorted(values))  # type: ignore[call-overload]
