"""Figure of note 003's third round: what each of its five changes costs when it alone is taken back."""

from __future__ import annotations

from collections.abc import Mapping

from benchbook.experiments.notes import number
from benchbook.experiments.shape.regular import Dots
from benchbook.experiments.shape.regular.base import Given
from benchbook.experiments.shared_buffers.arms import REVERTED, ROUND_2, ROUND_3
from benchbook.experiments.shared_buffers.memory_figures import means_of
from benchbook.experiments.shared_buffers.pools import MEND
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.model import Effect

ROUNDS = "fig-shared-buffers-rounds"
BESIDE = (
    "least_available_share", "huge_page_bytes", "wal_bytes_per_transaction", "buffers_clean", "autovacuums",
    "evictions",
)  # fmt: skip
"""Metrics whose means over trials stand in further columns: one for what each change acts on."""


def _taken_back(summary: Summary) -> Mapping[str, Effect]:
    """TPS of round 2, and of round 3 with one change taken back, over that of round 3."""
    return summary.once("by change taken back", lambda: summary.estimable(ROUND_3, (ROUND_2, *REVERTED)))


def _rows(summary: Summary) -> Mapping[str, str]:
    known, codec = _taken_back(summary), summary.run.provenance.get("wal_compression")
    names = {ROUND_2: "all five (round 2)", **REVERTED}
    coded = {arm: f"{name} ({codec})" if codec and name == "wal_compression" else name for arm, name in names.items()}
    return {arm: name for arm, name in coded.items() if arm in known}


def _note(summary: Summary) -> tuple[Given, ...]:
    tps = [number("r8g_runs", "tps", round=each) for each in (2, 3)]
    return (Given("the note's two runs", {ROUND_2: tps[0] / tps[1]}),)


reverted = Dots(
    id=ROUNDS,
    title="What each change of round 3 costs",
    rows=_rows,
    row="taken back",
    series={"measured": lambda summary, arm: _taken_back(summary)[arm]},
    given=_note,
    axis="TPS over TPS of round 3", quantity="TPS over round 3", scale="plain", rule=1, replicates="blocks",
    more=means_of(*BESIDE),
    nothing="This run did not measure note 003's rounds", mend=MEND,
    caption="Throughput with one of round 3's five changes taken back, over round 3 as it was: above 1 the change cost "
    "throughput. Data 0.92 of a pool of a quarter of the memory, warm start; simultaneous 95 % intervals (paired over "
    "blocks, Bonferroni).",
    alt="Points with intervals for {n} rows, beside the ratio of the note's two runs. {said}.",
)  # fmt: skip
