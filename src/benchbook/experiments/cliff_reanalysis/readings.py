"""What the raw reports say about the claims of note 002 that rest on these runs, claim by claim."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from benchbook.claims import load_claims
from benchbook.experiments.cliff_reanalysis.reports import BASELINE, PAGES_PER_GIB, A, B
from benchbook.experiments.cliff_reanalysis.summary import Summary


def readings(summary: Summary) -> pd.DataFrame:
    """One row per claim: the note's words, what its own data show, and whether they bear it out."""
    quotes = load_claims()
    rows = [
        {"claim": claim, "the note": f"“{quotes[claim].quote}”", "borne out": stands, "its own data": text(summary)}
        for claim, (stands, text) in READINGS.items()
    ]
    return pd.DataFrame(rows).set_index("claim")


def _drop(summary: Summary) -> str:
    report, found = summary.reports[BASELINE], summary.plateau(BASELINE)
    lost = 1 - report.mean_tps(40, 60) / report.throughput["tps"].max()
    return (
        f"Throughput of the last 20 s is {100 * lost:.0f} % below the peak. It falls at "
        f"{summary.fell_s(BASELINE):.0f} s, when Dirty is at {found.percent_of_memory:.1f} % of the available memory. "
        "By then unwritten data are at a limit, or a second or two below it."
    )


def _later(summary: Summary) -> str:
    first, start = summary.plateau(BASELINE), summary.filled[0]
    return (
        f"It falls {summary.fell_s(A) - summary.fell_s(BASELINE):.0f} s later. A had been restarted: nothing is "
        f"written before second {start}, when its pool is full, and Dirty then rises from 0 GiB. In the baseline it "
        f"rises from second {first.rise_s} on, from {first.low_gib:.2f} GiB. Worker settings have no part in that."
    )


def _pool(summary: Summary) -> str:
    found = summary.fits[A]
    return (
        f"B's pool was at least {summary.reports[B].allocated / PAGES_PER_GIB:.1f} GiB, and it helped. But it followed "
        f"one of about {found.gib:.0f} GiB ({found.low:.1f} to {found.high:.1f}), not of 16."
    )


def _third(summary: Summary) -> str:
    split = summary.parted_s
    return (
        f"{_gain(summary, 0, 60)} over 60 s is right as an average. Up to second {split} it is "
        f"{_gain(summary, 0, split)}, afterwards {_gain(summary, split, 60)}: the number is a matter of "
        "how long the run lasts, and compares about 4 GiB with 20."
    )


def _gain(summary: Summary, first_s: int, last_s: int) -> str:
    return f"{100 * (summary.gain(first_s, last_s) - 1):+.0f} %".replace("-0 %", "0 %")


def _gone(summary: Summary) -> str:
    report = summary.reports[B]
    return (
        f"No fall within 60 s, and none within 120 s in C. B evicted nothing: {report.allocated:,} pages fit. Its "
        "changed pages were not written at all, as no checkpoint fell into any run; what writing them costs was not "
        "seen."
    )


def _reads(summary: Summary) -> str:
    every = {name: summary.reports[name].devices for name in (BASELINE, A, B)}
    most = {name: int(found["device_reads"][found["t_s"] > 0].sum()) for name, found in every.items()}
    return (
        f"Disks served {most[B]} reads in B, but also only {most[A]} in A and {most[BASELINE]} in the baseline, which "
        "fell. There were no disk reads in any run, so their absence cannot be what removed the cliff."
    )


def _writer(summary: Summary) -> str:
    report = summary.reports[B]
    return (
        f"No eviction pressure: right. The background writer wrote {report.cleaned} pages, so it did not write either; "
        f"with the small pool it wrote {summary.reports[A].cleaned:,} and the backends {summary.reports[A].written:,}."
    )


def _ratio(summary: Summary) -> str:
    first, second = (summary.plateau(name).percent_of_memory for name in (BASELINE, A))
    return (
        f"4 was in force: Dirty stops at {first:.1f} and {second:.1f} % of the available memory. Throughput falls just "
        "there. If the limit makes the fall, 10 would have put it later. These runs do not show that 4 is better."
    )


READINGS: dict[str, tuple[str, Callable[[Summary], str]]] = {
    "C014": ("yes", _drop),
    "C021": ("yes; its cause: no", _later),
    "C029": ("in direction; size of the change: no", _pool),
    "C031": ("as an average; as a comparison of 16 and 20: no", _third),
    "C042": ("for 60 s", _gone),
    "C045": ("the fact: yes; as cause: no", _reads),
    "C046": ("half", _writer),
    "C059": ("no", _ratio),
}
"""By claim: whether the raw reports bear it out, in a few words, and what they show."""
