"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.label_order import notes, pairs
from benchbook.experiments.label_order.pairs import NAMES
from benchbook.experiments.label_order.summary import Summary
from benchbook.experiments.sentences import departing, opening
from benchbook.figures import Prose, with_interval

DRIFT_BLOCKS = 2
"""Two blocks always lie on a line."""


def note_claims() -> pd.DataFrame:
    """What the note printed for its two labels."""
    return notes.table()


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the note's benchmark, how it differs."""
    p, run = summary.parameters, summary.run
    first = ", ".join(
        f"{label.removeprefix('label ')} {summary.times_first()[name]}" for name, label in summary.labels.items()
    )
    text = (
        f"{opening(run)} {len(summary.labels)} labels on Badger {run.provenance['engine_version']}, "
        f"{p.block_cache_mib} MiB of block and {p.index_cache_mib} MiB "
        f"of index cache, no compression. Each trial saves {p.events:,} events with {p.workers} workers and then as "
        f"many in {p.bursts} bursts. The machine rested {p.rest_s:g} s before the first label of a block. By the "
        f"drawn order each label was first so many times: {first}."
    )
    return Prose(text + departing(summary.departures(), "Not the note's benchmark in every respect"))


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""
    sentences = []
    for metric, name in NAMES.items():
        if not summary.has(metric):
            sentences.append(f"The {name} is not estimable in every trial of this run.")
            continue
        effect, found = summary.first_over_later(metric), pairs.chance(summary, metric)
        sentences.append(
            f"The {name} of the label run first is {with_interval(effect)} times that of the labels run later; that of "
            f"label B, wherever it stood, is {with_interval(summary.aa_ratio(metric))} times that of label A. The "
            f"note's two labels differ by a factor of {found.note:.2f}; the two furthest apart in one block differ "
            f"by {found.largest:.3g}, and {found.in_blocks} of {summary.run.blocks} blocks hold a pair as far apart as "
            "the note's."
        )
    return Prose(" ".join(sentences))


def by_chance(summary: Summary) -> Prose:
    """What the permutation tests say; exploratory."""
    sentences = []
    for metric, name in NAMES.items():
        if not summary.has(metric):
            continue
        labels, first = summary.labels_apart(metric), summary.first_apart(metric)
        sentences.append(
            f"{name}: labels dealt out anew within their blocks lie as far apart as the real ones in "
            f"{_share(labels.p_value)} of {labels.arrangements:,} arrangements, and a first place differs as much from "
            f"the rest in {_share(first.p_value)}."
        )
    text = " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)
    return Prose(text or "No latency of this run can be permuted.")


def queue(summary: Summary) -> Prose:
    """The shape of the burst's queue, and whether the run drifts."""
    if not summary.has("burst_p95_ns"):
        return Prose("A P95 needs 2,000 saves in a burst test; this run has fewer.")
    text = (
        "A save in a burst mostly waits for its turn. P95 over mean tells the shape of that queue: "
        f"{with_interval(summary.tail())} here, {notes.tail():.2f} in the note."
    )
    if summary.run.blocks > DRIFT_BLOCKS:
        slope = with_interval(summary.drift("burst_mean_ns"), 100)
        text += f" From one block to the next the burst mean moves by {slope} %."
    return Prose(text)


def _share(p_value: float) -> str:
    return f"{100 * p_value:.2g} %"
