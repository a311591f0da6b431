"""The chapter's sentences and tables, computed from the run that the page shows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.experiments import notes
from benchbook.experiments.families.badger.notes import FAST, SLOW
from benchbook.experiments.label_order.pairs import METRICS, apart, chance, note_ms
from benchbook.experiments.label_order.summary import NO_PAUSE, PAUSE, PLACES, Summary
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.tables import table
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose, with_interval

DRIFT_BLOCKS = 2
"""Two blocks always lie on a line."""


def note_claims() -> pd.DataFrame:
    """What the note printed for its two labels, and their ratio."""
    texts = {label: {metric: f"{note_ms(label, metric):g}" for metric in METRICS} for label in (SLOW, FAST)}
    texts["the first over the second"] = {metric: f"{apart(metric):.2f}" for metric in METRICS}
    rows = [
        {"label in the note": label} | {Summary.METRICS[metric].column: text for metric, text in cell.items()}
        for label, cell in texts.items()
    ]
    return pd.DataFrame(rows).set_index("label in the note")


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the note's benchmark, how it differs."""
    p = summary.parameters
    where = "stores on the local disk"
    if p.allow_slow_storage:
        where = f"stores on a disk capped at {p.storage_iops:,} operations and {p.storage_mb_per_s:,} MB a second"
    first = ", ".join(f"{summary.label(arm).removeprefix('label ')} {summary.times_first(arm)}" for arm in summary.arms)
    return telling.design(
        summary,
        f"{len(summary.arms)} labels on {summary.on()}, {p.block_cache_mib} MiB of block and {p.index_cache_mib} MiB "
        f"of index cache, no compression; {where}. Each trial saves {p.events:,} events with {p.workers} workers and "
        f"then the same number in {p.bursts} bursts. The machine rested {p.rest_s:g} s before the first label of a "
        f"block; {p.pause_s:g} s passed before the labels A to C where they came later, and none before D to F. In the "
        f"random order, each label came first this many times: {first}.",
        design="Differences from the note's benchmark",
    )


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""

    def of(metric: str) -> str:
        found, name = chance(summary, metric), summary.in_words(metric)
        return (
            f"The {name} of the label run first is {with_interval(summary.first_over_later(metric))} times that of the "
            f"labels run later after the pause, and {with_interval(summary.first_over_later(metric, NO_PAUSE))} times "
            f"that of those run without a pause; that of label B, at any place, is "
            f"{with_interval(summary.aa_ratio(metric))} "
            f"times that of label A. The note's two labels differ by a factor of {found.note:.2f}; the two furthest "
            f"apart in one block differ by {found.largest:.3g}, and {found.in_blocks} of {summary.run.blocks} blocks "
            "have a pair as far apart as the note's."
        )

    return tell(*(partial(of, metric) for metric in METRICS), otherwise="No burst was timed in every trial.")


def backlog(summary: Summary) -> Prose:
    """Whether a label found anything that the one before it had left to be written."""

    def counted() -> str:
        first = float(summary.first_and_later("backlog_start_bytes")[0].mean()) / 1e6
        later = {pause: first + summary.carried_over(pause) / 1e6 for pause in (PAUSE, NO_PAUSE)}
        said = f"{later[PAUSE]:.1f} MB after the pause, {later[NO_PAUSE]:.1f} MB without one"
        return (
            f"When the first label of a block began, {first:.1f} MB that labels had written waited in memory to reach "
            f"the disk; when later ones began, {said}. Badger writes what it holds when it is closed, and a label ends "
            "with that."
        )

    return tell(counted, otherwise="In this run nobody counted what waited to be written (that needs root).")


def settings(summary: Summary) -> pd.DataFrame:
    """Settings that differ from the note's, and which way that should move the result."""
    p = summary.parameters
    disk = "the local one"
    if p.allow_slow_storage:
        disk = f"{p.storage_iops:,} operations and {p.storage_mb_per_s:,} MB a second"
    rows = [
        (
            "pause between labels",
            f"{notes.reading('pause_between_labels_s'):g} s",
            f"{p.pause_s:g} s and none",
            "10 s against a difference, none for one",
        ),
        ("disk", "not named", disk, "for a difference: what waits is written slowly"),
        ("stores of earlier labels", "not named", "kept until the block ends", "for a difference"),
        ("quiet after a burst", "500 ms", f"{p.burst_quiet_ms:g} ms", "for a difference"),
        ("relays", "others stand by in containers", "none", "against a difference"),
    ]
    return pd.DataFrame(rows, columns=["setting", "the note", "here", "should speak"]).set_index("setting")


def by_chance(summary: Summary) -> Prose:
    """What the permutation tests say; exploratory."""

    def of(metric: str) -> str:
        labels, first, name = summary.labels_apart(metric), summary.first_apart(metric), summary.in_words(metric)
        return (
            f"{name[0].upper()}{name[1:]}: randomly reassigned within their blocks, labels are as far apart as the "
            f"real ones in {100 * labels.p_value:.2g} % of {labels.arrangements:,} arrangements, and a "
            f"first place differs as much from the rest in {100 * first.p_value:.2g} %."
        )

    return tell(*(partial(of, metric) for metric in METRICS), otherwise="This run has no latencies to permute.")


def queue(summary: Summary) -> Prose:
    """The shape of the burst's queue, and whether the run drifts."""

    def tail() -> str:
        note = note_ms(SLOW, "burst_p95_ns") / note_ms(SLOW, "burst_mean_ns")
        return (
            "A save in a burst mostly waits for its turn. P95 over mean describes the shape of that queue: "
            f"{with_interval(summary.tail())} here, {note:.2f} in the note."
        )

    def drift() -> str:
        slope = with_interval(summary.drift("burst_mean_ns"), 100)
        return f"From one block to the next the burst mean moves by {slope} %."

    shape = tell(tail, otherwise="A P95 needs 2,000 saves in a burst test; this run has fewer.").text
    return tell(shape, drift if summary.run.blocks > DRIFT_BLOCKS else "")


def overview(summary: Summary) -> pd.DataFrame:
    """Per label and per place in the block: latencies with intervals."""
    groups = [
        (summary.by_label, {summary.label(arm): str(summary.times_first(arm)) for arm in summary.arms}),
        (summary.by_place, {f"run {name}": "" for name in PLACES}),
    ]
    rows = [
        ({"label or place": name, "times first": times}, (values, place))
        for values, names in groups
        for place, (name, times) in enumerate(names.items())
    ]

    def level(metric: str, group: tuple[Callable[[str], np.ndarray], int]) -> str:
        values, place = group
        return with_interval(statistics.geometric_mean(values(metric)[:, place], sessions=summary.sessions), 1e-6)

    metrics = (*METRICS, "burst_p99_ns", "response_mean_ns")
    found = table(rows, {summary.METRICS[metric].column: partial(level, metric) for metric in metrics})
    return found.reset_index("times first")


def chances(summary: Summary) -> pd.DataFrame:
    """Mean and P95: the note's ratio, the largest here, how often that far apart, and the permutation tests."""
    columns: dict[str, Callable[[str], str]] = {
        "the note's two labels": lambda metric: f"{apart(metric):.2f}",
        "largest ratio of two equal labels": lambda metric: f"{chance(summary, metric).largest:.3g}",
        "pairs that far apart": lambda metric: "{0.far} of {0.pairs}".format(chance(summary, metric)),
        "blocks with such a pair (%)": lambda metric: with_interval(chance(summary, metric).blocks, 100),
        "labels differ (p)": lambda metric: f"{summary.labels_apart(metric).p_value:.2g}",
        "first differs (p)": lambda metric: f"{summary.first_apart(metric).p_value:.2g}",
    }
    return table([({"latency": summary.in_words(metric)}, metric) for metric in METRICS], columns)
