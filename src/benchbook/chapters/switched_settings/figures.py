"""The figures: settings, codecs, the same both ways, what a turn leaves, the claims. Their words stand in the page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchbook.chapters.switched_settings.arms import ALONE, CONTROL, GROUPS
from benchbook.chapters.switched_settings.numbers import Summary
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.regular import Dots, level
from benchbook.measuring.pgbench.ladder import arms as ladder
from benchbook.measuring.pgbench.ladder import singles
from benchbook.measuring.pgbench.ladder.singles import Pair
from benchbook.model import Effect

MEND, OF_002 = "measure all parts", "fig-switched-note-002"
WAITING = Pair("synchronous_commit off instead of on", CONTROL, ladder.ROUND_2)
"""Not the note's: a setting that is known to matter."""
NOTE_003: Mapping[str, Pair] = {**singles.OF_003, WAITING.words: WAITING}
BOTH_WAYS: Mapping[str, Pair] = {
    pair.words: pair for pair in (singles.OF_003["wal_compression on instead of off"], WAITING)
}
"""Settings that are measured in turns and on servers of their own."""
CODECS = {arm: f"{codec} instead of off" for codec, arm in ladder.CODECS.items() if codec != "off"}


def _of_codec(metric: str, summary: Summary, arm: str) -> Effect:
    return summary.gain(arm, ladder.CODECS["off"], metric)


note_003 = singles.dots(NOTE_003, singles.SOLD_BAND, "This run did not measure note 003's settings")
note_002 = singles.dots(
    singles.OF_002, singles.SOLD_BAND, "This run did not measure note 002's Scenario B", scale="plain"
)
codecs = Dots(
    rows=CODECS,
    row="wal_compression",
    series={
        "throughput": partial(_of_codec, "tps"),
        "log per transaction": partial(_of_codec, "wal_bytes_per_transaction"),
        "processor time per transaction": partial(_of_codec, "cpu_per_transaction_s"),
    },
    axis="with compression over without (throughput: above 1 is faster)", rule=1, replicates="blocks",
    nothing="This run did not measure the codecs", mend="install a second PostgreSQL with lz4",
)  # fmt: skip


def _alone(summary: Summary, words: str) -> Effect:
    return summary.gain(f"{ALONE}{BOTH_WAYS[words].top}", f"{ALONE}{BOTH_WAYS[words].bottom}")


both_ways = Dots(
    rows=partial(singles.rows, BOTH_WAYS),
    row="setting",
    series={"in turns on one server": partial(singles.ask, BOTH_WAYS), "each on a server of its own": _alone},
    axis=singles.AXIS, rule=1, replicates="blocks",
    nothing="This run did not measure a setting both ways", mend=MEND,
)  # fmt: skip
_BASES = [group.base for group in GROUPS.values()]
carried = Dots(
    rows=lambda summary: {
        arm: "Scenario B" if arm == ladder.B else summary.label(arm)
        for arm in (*_BASES, ladder.OFF, ladder.BGWRITER_200, ladder.DELAYS[200])
    },
    series={"measured": level("early_over_kept")},
    axis="throughput of the first part of a turn over the rest", scale="plain", rule=1,
    nothing="This run did not look at the first parts of the turns", mend=MEND,
)  # fmt: skip
claims_003 = ClaimFigure(
    title="Note 003's claims on single settings against measurements",
    what="What note 003 credits to single settings",
    only=lambda answer: answer.figure != OF_002,
)
claims_002 = ClaimFigure(
    title="Note 002's claims on single settings against measurements",
    what="What note 002's best configuration asks of its settings: that they cost nothing",
    only=lambda answer: answer.figure == OF_002,
)
FIGURES = {
    "note_003": note_003, "note_002": note_002, "codecs": codecs, "both_ways": both_ways, "carried": carried,
    "claims_003": claims_003, "claims_002": claims_002,
}  # fmt: skip
