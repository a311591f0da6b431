"""The figure of note 003's rounds over its second one, beside the note's own runs."""

from __future__ import annotations

from collections.abc import Mapping

from benchbook.drawing.regular import Dots, Given
from benchbook.measuring.pgbench.summary import Summary
from benchbook.model import Estimate
from benchbook.notes import number, table

NOTHING = "This run did not measure note 003's rounds"
LATER_RUNS: Mapping[str, str] = {
    "round_2_cold": "round 2, cold: first run",
    "second_": "round 2, cold: second run",
    "third_": "round 2, cold: third run",
}
"""The configuration with several runs, and the prefixes of the later ones, to their rows."""


def over_round_2(rows: Mapping[str, str], mend: str) -> Dots:
    """Throughput of these over that of round 2 on a warm pool. rows: as LATER_RUNS, and other configurations."""
    return Dots(
        rows=rows,
        row="round",
        series={"measured": _over_round_2},
        given=_noted,
        axis="throughput over that of round 2, warm (above 1: faster)", scale="plain", rule=1, replicates="blocks",
        nothing=NOTHING, mend=mend,
    )  # fmt: skip


def _over_round_2(summary: Summary, key: str) -> Estimate:
    above = ("round_2_cold", f"{key}tps") if key.endswith("_") else (key, "tps")
    return summary.ratio(above, ("round_2", "tps"))


def _noted(summary: Summary) -> tuple[Given, ...]:
    """The note's runs over its second round, each at the state that it later names."""
    tps = {each: number("r8g_runs", "tps", round=each) for each in (1, 2, 3)}
    again = table("r8g_validation")["tps"].tolist()
    values = {
        "round_1_cold": tps[1],
        "round_3": tps[3],
        "round_2_cold": again[0],
        "second_": again[1],
        "third_": again[2],
    }
    return (Given("the note's single runs", {key: float(value) / tps[2] for key, value in values.items()}),)
