"""The chapter's sentences with numbers about coverage, verdicts and power, computed from the run on the page."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.calibration import catalogue
from benchbook.experiments.calibration.arms import LABELS, alone_name, cell_name
from benchbook.experiments.calibration.catalogue import ALL, SMALLEST, TARGET_LOW
from benchbook.experiments.calibration.figures import LIMIT
from benchbook.experiments.calibration.moving import WORDS
from benchbook.experiments.calibration.simulation.distributions import STALLED
from benchbook.experiments.calibration.simulation.worlds import FEW_MISSES
from benchbook.experiments.calibration.summary import Summary, book_table, covered, spread
from benchbook.experiments.calibration.tables import listed, off, ranged
from benchbook.figures import Prose

STRESS = LABELS["stalls"]
"""The family that no interval of a single configuration is made for; the others are the ones that it must hold in."""


def design(summary: Summary) -> Prose:
    """What was simulated, in numbers."""
    p, run = summary.parameters, summary.run
    stalls = (
        f" In the family “{STRESS}” one trial in {1 / STALLED:.0f} is slower by a Pareto factor of tail index "
        f"{p.tail_index:g}."
    )
    return Prose(
        f"This page shows run `{run.id}` ({run.profile} profile): {p.blocks} batches of {p.repetitions:,} simulated "
        f"runs for each of {len(p.families)} families and runs of {listed(p.sizes)} blocks; seed {p.seed}, "
        f"{run.provenance['engine_version']}. The logarithms of trials spread by {p.between_block_sd:.1%} between "
        f"blocks and by about {p.between_trial_sd:.1%} between the trials of a block. A trial has {p.operations:,} "
        f"requests and {p.timelines_s[0]} seconds; successive seconds are correlated by {p.autocorrelation:g}. Of "
        f"{p.page_requests:,} page requests, about {p.hit_ratio:.0%} are hits, or, with hardly any misses, all but "
        f"about {FEW_MISSES}.{stalls if 'stalls' in p.families else ''}"
    )


def answer(summary: Summary) -> Prose:
    """What was found, in a few sentences."""
    found = book_table(summary)
    seldom = found["finding"] == "too seldom"
    named = found["family"] != STRESS
    sentences = []
    if named.any():
        sentences.append(
            f"In the families that they are designed for, the book's intervals were tested in {named.sum()} "
            f"combinations of interval, family and number of blocks ({SMALLEST} or more) or seconds: "
            f"{_findings(found[named])}."
        )
        off_ = found[named & seldom]
        sentences.append("None of them covers too seldom." if off_.empty else f"Too seldom: {_lines(off_)}.")
    if (~named).any():
        off_ = found[~named & seldom]
        sentences.append(
            f"With {STRESS}: {_findings(found[~named])}."
            + ("" if off_.empty else f" Too seldom there: {'; '.join(dict.fromkeys(off_['interval']))}.")
        )
    return Prose(" ".join([*sentences, no_effect(summary)]))


def verdict(summary: Summary) -> str:
    """How many of the book's intervals cover as often as they promise, in those families that they are made for."""
    own, seldom = _covering(summary)
    few = f"only {len(seldom)}" if len(seldom) else "none"
    return (
        f"In the kinds of noise that they are made for, {few} of {len(own)} simulated cases show an interval of this "
        f"book that contains the truth in less than {100 * TARGET_LOW:.0f} % of the runs"
    )


def seldom(summary: Summary) -> str:
    """The intervals that do not, and how often they do contain the truth."""
    (own, seldom), (stalled, off_) = _covering(summary), _covering(summary, stalled=True)
    beside = f" With {STRESS}, {len(off_)} of {len(stalled)} do." if len(stalled) else ""
    if seldom.empty:
        return f"None of {len(own)} cases of interval, noise and number of blocks covers too seldom.{beside}"
    return (
        f"{len(seldom)} of {len(own)} cases of interval, noise and number of blocks cover too seldom: "
        f"{ranged(seldom['coverage (%)'])} %.{beside}"
    )


def _covering(summary: Summary, *, stalled: bool = False) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The cases of the families that the intervals are made for, or of stalled trials; and which cover too seldom."""
    found = book_table(summary)
    cases_ = found[(found["family"] == STRESS) == stalled]
    return cases_, cases_[cases_["finding"] == "too seldom"]


def no_effect(summary: Summary) -> str:
    """The largest share of verdicts that find an effect where there is none."""
    worst = max(
        (
            summary.false_verdicts(rule, cell_name(family, n))
            for rule in WORDS
            for family in summary.parameters.families
            for n in summary.parameters.sizes
        ),
        key=lambda each: each.point,
    )
    return (
        f"Where there is no effect, at most {100 * worst.point:.2f} % [{100 * worst.low:.2f}, {100 * worst.high:.2f}] "
        "of the runs end in a false verdict on a ratio within blocks, by any rule, in any family and with any number "
        f"of blocks; the limit is {LIMIT:g} %."
    )


def reasons(summary: Summary) -> Prose:
    """How each coverage that is not as promised comes about, and what follows."""
    known = {each.label: each.remark for each in ALL.values()}
    by_remark: dict[str, list[str]] = {}
    for label in dict.fromkeys(off(summary)["interval"]):
        by_remark.setdefault(known[label] or "The reason is not known.", []).append(label)
    if not by_remark:
        return Prose("Nothing needs a reason here.")
    return Prose("\n".join(f"- *{', '.join(labels)}*: {remark}" for remark, labels in by_remark.items()))


def wrong_coverage(summary: Summary) -> Prose:
    """Range of the coverage of each wrong way over all families, as in the figure."""
    found = covered(summary, (*catalogue.WRONG, *catalogue.WRONG_WITHIN))
    enough = found[found["n"] >= SMALLEST]
    shown, which = (enough, f" from {SMALLEST} blocks up") if len(enough) else (found, "")
    parts = [f"{label} {ranged(part['coverage (%)'])} %" for label, part in shown.groupby("interval", sort=False)]
    return Prose(f"Coverage of nominal 95 % intervals, all families{which}: {'; '.join(parts)}.")


def gate(summary: Summary) -> Prose:
    """What the A/A gate costs, and how a plain significance test would do as a verdict."""
    excluded = sum(100 * summary.excluded(summary.shown_cell, 1.0, side).point for side in ("above", "below"))
    return Prose(
        f"In {excluded:.1f} % of sound runs the A/A interval does not contain the ratio 1 "
        f"({LABELS[summary.shown_family]}, {summary.shown_size} blocks); such a run then decides nothing. This is "
        "the price of the gate."
    )


def power(summary: Summary) -> Prose:
    """How many blocks each planted effect needs to be found in four runs of five."""
    parts = []
    for ratio in summary.parameters.effects[1:]:
        cells = {n: cell_name(summary.shown_family, n) for n in sorted(summary.parameters.sizes)}
        enough = [f"{n} blocks" for n, cell in cells.items() if summary.excluded(cell, ratio).point >= 0.8]
        parts.append(f"{100 * (ratio - 1):g} %: {[*enough, f'more than {max(cells)}'][0]}")
    return Prose(
        "The smallest simulated number of blocks at which at least 80 % of the runs find an effect of "
        f"{'; '.join(parts)} (family {LABELS[summary.shown_family]})."
    )


def stalled(summary: Summary) -> Prose:
    """Coverage where one arm alone stalls, by interval, number of blocks and spread."""
    p = summary.parameters
    sizes = [n for n in sorted(p.sizes) if n >= SMALLEST]
    if not sizes:
        return Prose(f"No runs of {SMALLEST} blocks or more were simulated.")
    numbers = ", ".join(map(str, sizes))

    def shares(sd: float, count: str, runs: str) -> str:
        return ", ".join(f"{100 * summary.share(alone_name(sd, n), count, runs).point:.0f}" for n in sizes)

    lines = []
    for each in catalogue.ALONE:
        for sd in p.alone_sds:
            covered_ = shares(sd, f"{each.name}_covered", f"{each.name}_runs")
            lines.append(f"- *{each.label}*, {spread(sd)}: {covered_} % with {numbers} blocks.")
    lines += [
        f"- *Seen in the run itself*, {spread(sd)}: there is an outlying block in "
        f"{shares(sd, 'alone_found', 'alone_median_runs')} % of the runs with {numbers} blocks; "
        f"{shares(sd, 'alone_missed_unseen', 'alone_median_runs')} % miss the mean and have no such block."
        for sd in p.alone_sds
    ]
    return Prose("\n".join(lines))


def _findings(found: pd.DataFrame) -> str:
    counts = found["finding"].value_counts()
    words = {
        "as promised": "as promised", "undecided": "too close to an edge of the target to tell",
        "too often": "more often than promised", "too seldom": "too seldom",
    }  # fmt: skip
    return ", ".join(f"{counts[name]} {text}" for name, text in words.items() if name in counts)


def _lines(found: pd.DataFrame) -> str:
    return "; ".join(
        f"{interval}, n = {listed(part['n'].unique())} ({ranged(part['coverage (%)'])} %)"
        for interval, part in found.groupby("interval", sort=False)
    )
