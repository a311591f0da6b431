"""The figures: settings, codecs, the same both ways, what a turn leaves, the claims. Their words stand in page.md."""

from __future__ import annotations

from functools import partial

from benchbook.experiments.families.pgbench.ladder import arms as ladder
from benchbook.experiments.families.pgbench.ladder import singles
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Dots
from benchbook.experiments.switched_settings.arms import GROUPS
from benchbook.experiments.switched_settings.summary import BOTH_WAYS, CODECS, NOTE_002, NOTE_003, Summary
from benchbook.model import Effect, Estimate

MEND, OF_002 = "measure all parts", "fig-switched-note-002"


def _of_codec(metric: str, summary: Summary, words: str) -> Effect:
    return summary.effect(CODECS[words], metric)


note_003 = Dots(
    rows=lambda summary: summary.known(NOTE_003),
    row="setting",
    series={"measured": partial(singles.ask, NOTE_003)},
    given=lambda summary: (singles.SOLD_BAND,),
    axis=singles.AXIS, rule=1, replicates="blocks",
    nothing="This run did not measure note 003's settings", mend=MEND,
)  # fmt: skip
note_002 = Dots(
    rows=lambda summary: summary.known(NOTE_002),
    row="setting",
    series={"measured": partial(singles.ask, NOTE_002)},
    given=lambda summary: (singles.SOLD_BAND,),
    axis=singles.AXIS, scale="plain", rule=1, replicates="blocks",
    nothing="This run did not measure note 002's Scenario B", mend=MEND,
)  # fmt: skip
codecs = Dots(
    rows=lambda summary: summary.known(CODECS),
    row="wal_compression",
    series={
        "throughput": partial(_of_codec, "tps"),
        "log per transaction": partial(_of_codec, "wal_bytes_per_transaction"),
        "processor time per transaction": partial(_of_codec, "cpu_per_transaction_s"),
    },
    axis="with compression ÷ without", rule=1, replicates="blocks",
    nothing="This run did not measure the codecs", mend="install a second PostgreSQL with lz4",
)  # fmt: skip


def _alone(summary: Summary, words: str) -> Estimate:
    return summary.alone(BOTH_WAYS[words])


both_ways = Dots(
    rows=lambda summary: summary.known(BOTH_WAYS),
    row="setting",
    series={"in turns on one server": partial(singles.ask, BOTH_WAYS), "each on a server of its own": _alone},
    axis=singles.AXIS, rule=1, replicates="blocks",
    nothing="This run did not measure a setting both ways", mend=MEND,
)  # fmt: skip
BASES = {group.base: part for part, group in GROUPS.items()}


def _early(summary: Summary, arm: str) -> Estimate:
    return summary.level(arm, "early_over_kept")


carried = Dots(
    rows=lambda summary: {
        arm: "Scenario B" if arm == ladder.B else summary.label(arm)
        for arm in (*BASES, ladder.OFF, ladder.BGWRITER_200, ladder.DELAYS[200])
        if arm in summary.configurations
    },
    series={"measured": _early},
    axis="throughput of the first part of a turn ÷ of the rest", scale="plain", rule=1,
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
    "note_003": note_003,
    "note_002": note_002,
    "codecs": codecs,
    "both_ways": both_ways,
    "carried": carried,
    "claims_003": claims_003,
    "claims_002": claims_002,
}
