"""The figures: settings one at a time, in combinations, the rounds, the claims; words in the page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress

from benchbook.chapters.config_ladder.tables import FACTORS
from benchbook.chapters.config_ladder.trials import Summary
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.marks import blank
from benchbook.drawing.regular import Dots
from benchbook.errors import BenchbookError
from benchbook.figures import Figure
from benchbook.measuring.pgbench.ladder import arms, singles
from benchbook.measuring.pgbench.ladder.arms import ROUND_1_COLD, ROUND_3
from benchbook.measuring.pgbench.ladder.rounds import LATER_RUNS, over_round_2

MEND, WORKERS = "measure all parts", "fig-config-ladder-claims-002"

settings_003 = singles.dots(
    singles.OF_003, singles.BAND, "This run did not measure the settings one at a time", scale="plain",
    table_only=lambda summary: singles.TABLE_003,
)  # fmt: skip
settings_002 = singles.dots(
    singles.OF_002, singles.BAND, "This run did not measure note 002's settings one at a time", scale="plain"
)


def _largest_first(summary: Summary) -> Mapping[int, str]:
    size = dict.fromkeys(FACTORS, 0.0)
    with suppress(BenchbookError):
        size = {column: abs(math.log(summary.effect(column).point)) for column in FACTORS}
    ordered = sorted(size, key=size.__getitem__, reverse=True)
    return {column: singles.named(FACTORS[column], summary) for column in ordered}


fifteen = Dots(
    rows=_largest_first,
    row="setting",
    series={"main effect": lambda summary, column: summary.effect(column)},
    given=lambda summary: (singles.SOLD_BAND,),
    axis="throughput, second value over first (above 1: faster)", scale="plain", rule=1, replicates="blocks",
    nothing="This run did not measure the combinations", mend=MEND,
)  # fmt: skip

_ROWS: Mapping[str, str] = {
    arms.ROUND_1: "round 1, warm",
    ROUND_3: "round 3, warm",
    ROUND_1_COLD: "round 1, cold",
    **LATER_RUNS,
    arms.ROUND_3_COLD: "round 3, cold",
    arms.ROUND_1_FITS: "round 1, cold, smaller data",
    arms.ROUND_2_FITS: "round 2, cold, smaller data",
    arms.FITS_WARM: "round 2, warm, smaller data",
}
"""Configuration, or prefix of a later run of the one with several, to its row."""
rounds = over_round_2(_ROWS, MEND)

_OF_WORKERS = "Claims on parallel workers against measurements"
_workers = ClaimFigure(
    title=_OF_WORKERS,
    what="What note 002 credits to the settings of parallel workers",
    only=lambda answer: answer.figure == WORKERS and bool(answer.row),
)
claims_003 = ClaimFigure(
    title="Claims on rounds, warmth and compression against measurements",
    what="What note 003 credits to its rounds, to warm caches and to compression",
    only=lambda answer: answer.figure == "fig-config-ladder-claims-003" and bool(answer.row),
)


def claims_002(summary: Summary) -> Figure | ClaimFigure:
    """The claims on note 002's workers; a run without these has no point to draw."""
    if not summary.has(arms.A, "tps"):
        return blank(summary, WORKERS, _OF_WORKERS, "This run did not measure note 002's workers", MEND)
    return _workers


FIGURES = {
    "settings_003": settings_003, "settings_002": settings_002, "combinations": fifteen, "rounds": rounds,
    "claims_002": claims_002, "claims_003": claims_003,
}  # fmt: skip
