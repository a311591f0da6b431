"""The figures: settings one at a time, in combinations, the rounds, the claims; words: page.md."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress

from benchbook.errors import BenchbookError
from benchbook.experiments.config_ladder.tables import FACTORS
from benchbook.experiments.config_ladder.trials import Summary
from benchbook.experiments.families.pgbench.ladder import arms, singles
from benchbook.experiments.families.pgbench.ladder.arms import ROUND_1_COLD, ROUND_2, ROUND_2_COLD, ROUND_3
from benchbook.experiments.notes import number, table
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.marks import blank
from benchbook.experiments.shape.regular import Dots, Given
from benchbook.figures import Figure
from benchbook.model import Estimate

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
    ROUND_2_COLD: "round 2, cold: first run",
    "second_": "round 2, cold: second run",
    "third_": "round 2, cold: third run",
    arms.ROUND_3_COLD: "round 3, cold",
    arms.ROUND_1_FITS: "round 1, cold, smaller data",
    arms.ROUND_2_FITS: "round 2, cold, smaller data",
    arms.FITS_WARM: "round 2, warm, smaller data",
}
"""Configuration, or prefix of a later run of the one with several, to its row."""


def _over_round_2(summary: Summary, key: str) -> Estimate:
    above = (ROUND_2_COLD, f"{key}tps") if key.endswith("_") else (key, "tps")
    return summary.ratio(above, (ROUND_2, "tps"))


def _noted(summary: Summary) -> tuple[Given, ...]:
    """The note's runs over its second round, each at the state that it later names."""
    tps = {each: number("r8g_runs", "tps", round=each) for each in (1, 2, 3)}
    again = table("r8g_validation")["tps"].tolist()
    values = {ROUND_1_COLD: tps[1], ROUND_3: tps[3], ROUND_2_COLD: again[0], "second_": again[1], "third_": again[2]}
    return (Given("the note's single runs", {key: float(value) / tps[2] for key, value in values.items()}),)


rounds = Dots(
    rows=_ROWS,
    row="round",
    series={"measured": _over_round_2},
    given=_noted,
    axis="throughput over that of round 2, warm (above 1: faster)", scale="plain", rule=1, replicates="blocks",
    nothing="This run did not measure note 003's rounds", mend=MEND,
)  # fmt: skip

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
