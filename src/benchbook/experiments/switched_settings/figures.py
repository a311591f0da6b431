"""The figures: the settings of both notes and the codecs, the same both ways, what a turn leaves, and the claims."""

from __future__ import annotations

from functools import partial

from benchbook.experiments.config_ladder import arms as ladder
from benchbook.experiments.config_ladder import singles
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Dots
from benchbook.experiments.switched_settings.answers import CLAIMS_002, CLAIMS_003, CODECS, OF_002, OF_003
from benchbook.experiments.switched_settings.arms import GROUPS
from benchbook.experiments.switched_settings.summary import BOTH_WAYS, NOTE_002, NOTE_003, Summary
from benchbook.experiments.switched_settings.summary import CODECS as CODEC_PAIRS
from benchbook.model import Effect, Estimate

MEND = "measure all parts"


def _of_codec(metric: str, summary: Summary, words: str) -> Effect:
    return summary.effect(CODEC_PAIRS[words], metric)


note_003 = Dots(
    id=OF_003,
    title="Note 003's settings, switched under load",
    rows=lambda summary: summary.known(NOTE_003),
    row="setting",
    series={"measured": partial(singles.ask, NOTE_003)},
    given=lambda summary: (singles.SOLD_BAND,),
    axis=singles.AXIS, rule=1, replicates="blocks",
    nothing="This run did not measure note 003's settings", mend=MEND,
    caption="Throughput with a setting as note 003 has it, over that with the value it replaced, in turns on one "
    "server. The first row compares two equal configurations; the last is not the note's, but known to matter. "
    "Dashed: 5 % on either side; {intervals}.",
    alt="Points with intervals for {n} rows. {said}.",
)  # fmt: skip
note_002 = Dots(
    id=OF_002,
    title="Note 002's Scenario B, one setting switched at a time",
    rows=lambda summary: summary.known(NOTE_002),
    row="setting",
    series={"measured": partial(singles.ask, NOTE_002)},
    given=lambda summary: (singles.SOLD_BAND,),
    axis=singles.AXIS, scale="plain", rule=1, replicates="blocks",
    nothing="This run did not measure note 002's Scenario B", mend=MEND,
    caption="Throughput with a setting as note 002's Scenario B has it, over that with the value before, in turns on "
    "one server whose pool holds all the data. The first row compares two equal configurations. Dashed: 5 % on either "
    "side; {intervals}.",
    alt="Points with intervals for {n} rows. {said}.",
)  # fmt: skip
codecs = Dots(
    id=CODECS,
    title="What compression of the log gives and costs",
    rows=lambda summary: summary.known(CODEC_PAIRS),
    row="wal_compression",
    series={
        "throughput": partial(_of_codec, "tps"),
        "log per transaction": partial(_of_codec, "wal_bytes_per_transaction"),
        "processor time per transaction": partial(_of_codec, "cpu_per_transaction_s"),
    },
    axis="with compression ÷ without", rule=1, replicates="blocks",
    nothing="This run did not measure the codecs", mend="install a second PostgreSQL with lz4",
    caption="Three numbers with wal_compression over the same without, switched on one server of a release that has "
    "all codecs; logarithmic axis; {intervals}.",
    alt="Points with intervals for {n} codecs. {said}.",
)  # fmt: skip


def _alone(summary: Summary, words: str) -> Estimate:
    return summary.alone(BOTH_WAYS[words])


both_ways = Dots(
    id="fig-switched-both-ways",
    title="The same settings in turns and on servers of their own",
    rows=lambda summary: summary.known(BOTH_WAYS),
    row="setting",
    series={"in turns on one server": partial(singles.ask, BOTH_WAYS), "each on a server of its own": _alone},
    axis=singles.AXIS, rule=1, replicates="blocks",
    nothing="This run did not measure a setting both ways", mend=MEND,
    caption="Throughput with a setting over that without: switched every second on one server, and on two servers one "
    "after the other, under the same load with the same checkpoints. The ratios should agree; {intervals}.",
    alt="Points with intervals for {n} settings, measured two ways. {said}.",
)  # fmt: skip
BASES = {group.base: part for part, group in GROUPS.items()}


def _early(summary: Summary, arm: str) -> Estimate:
    return summary.level(arm, "early_over_kept")


carried = Dots(
    id="fig-switched-carried",
    title="What a turn leaves to the next",
    rows=lambda summary: {
        arm: "Scenario B" if arm == ladder.B else summary.label(arm)
        for arm in (*BASES, ladder.OFF, ladder.BGWRITER_200, ladder.DELAYS[200])
        if arm in summary.configurations
    },
    series={"measured": _early},
    axis="throughput of the first part of a turn ÷ of the rest", scale="plain", rule=1,
    nothing="This run did not look at the first parts of the turns", mend=MEND,
    caption="Throughput between the switch and the part of a turn that counts, over that of the part that counts: 1 "
    "where a setting acts at once and the one before it leaves nothing; {intervals}.",
    alt="Points with intervals for {n} configurations. {said}.",
)  # fmt: skip
claims_003 = ClaimFigure(
    id=CLAIMS_003,
    title="Note 003's claims on single settings against measurements",
    what="What note 003 credits to single settings",
    only=lambda answer: answer.figure != OF_002,
)
claims_002 = ClaimFigure(
    id=CLAIMS_002,
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
