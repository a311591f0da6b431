"""The numbers of the chapter by name, note by note recomputed from data/notes, and what its words name beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from benchbook.claims import Quantity, chapter_claims
from benchbook.experiments import notes
from benchbook.experiments.notes_reanalysis import caches, learned_index, pgbench, runs, tables
from benchbook.experiments.notes_reanalysis.summary import Summary
from benchbook.experiments.notes_reanalysis.sums import factor, sums
from benchbook.experiments.shape import judging
from benchbook.experiments.shape.estimands import Estimand, custom
from benchbook.model import Outcome

__all__ = ["NUMBERS", "OPEN", "TABLES", "WORDS", "Summary"]
OPEN = {
    "C001": "we did not consult the vendor's specification of the instance type",
    "C084": "the image's own settings are not recorded; the report of run 1 shows 10 and 5 before its own commands, "
    "which shows what was in force but not who had set it",
    "O083": "the file right before the change was not available; `git diff --numstat cdfd1ff 8e8670d -- "
    "src/rocks_storage.rs` in that repository decides it",
}
"""Claims that stay open, and what would close them."""


def _round(number: int) -> float:
    return notes.number("r8g_runs", "tps", round=number)


def _to_round(number: int) -> Estimand:
    """The repeated runs' mean over that single round."""
    return custom(
        lambda summary, confidence: runs.against_one(summary.validation.tps, _round(number), confidence=confidence),
        Quantity.COMPARISON,
    )


NUMBERS: Mapping[str, Estimand] = {
    **caches.FEATURE_SERVING,
    **caches.BADGER,
    **pgbench.LARGE,
    **pgbench.SMALL,
    **learned_index.NUMBERS,
    "five": custom(lambda summary, confidence: summary.validation.estimate, Quantity.LEVEL),
    "one_more": custom(
        lambda summary, confidence: runs.next_run(summary.validation.tps, confidence=confidence), Quantity.LEVEL
    ),
    "to_round_1": _to_round(1),
    "to_round_3": _to_round(3),
}


def _contradicted(summary: Summary) -> list[str]:
    """The statements that do not hold, in the notes' words."""
    claims = chapter_claims(summary.chapter.name)
    return [
        f"- {verdict.claim_id}, “{claims[verdict.claim_id].quote}”. {verdict.reason}"
        for verdict in judging.verdicts(summary)
        if verdict.outcome is Outcome.CONTRADICTED
    ]


def _counts(summary: Summary) -> dict[str, int]:
    """How many statements came out which way."""
    found = [verdict.outcome for verdict in judging.verdicts(summary)]
    return {outcome.name.lower(): found.count(outcome) for outcome in Outcome}


def _noted_cliffs(summary: Summary) -> list[tuple[Any, Any]]:
    """Run and second, as note 002 marks them."""
    found = notes.table("c8gb_timeline")
    return [*found[found["label"].fillna("").str.startswith("cliff")].set_index("run")["t_s"].items()]


def _sums(summary: Summary) -> SimpleNamespace:
    """How many sums there are, are drawn and are right, and those that are not."""
    found = sums(summary)
    wrong = found[~found["right"]]
    each = [f"{claim} ({factor(ratio)})" for claim, ratio in zip(wrong["claim"], wrong["ratio"], strict=True)]
    return SimpleNamespace(all=len(found), drawn=int(found["drawn"].sum()), right=int(found["right"].sum()), wrong=each)


def _off_percent(summary: Summary) -> float:
    """How far a whole timeline's mean differs from the printed average at most."""
    return 100 * max(abs(each.mean / each.printed_average - 1) for each in summary.timelines if each.complete)


def _change(number: int) -> Callable[[Summary], float]:
    return lambda summary: notes.number("r8g_changes", "change_percent", round=number, metric="tps")


def _stated(name: str) -> Callable[[Summary], float]:
    return lambda summary: notes.number("omendb_statements", "value", name=name)


WORDS: Mapping[str, Callable[[Summary], Any]] = {
    "counts": _counts,
    "contradicted": _contradicted,
    "changes": lambda summary: summary.pairs,
    "standing": lambda summary: [pair for pair in summary.pairs if pair.stands_out(summary.sd)],
    "noted_cliffs": _noted_cliffs,
    "cliffs_by_rule": lambda summary: [each for each in summary.timelines if each.note == "002"],
    "off_percent": _off_percent,
    "round_2": lambda summary: _round(2),
    "up": _change(2),
    "down": _change(3),
    "scale_of_round_1": lambda summary: notes.reading("scale_of_round_1"),
    "scale_of_five": lambda summary: notes.reading("scale_of_validation"),
    "runs_needed": lambda summary: summary.validation.runs_needed,
    "spread_percent": lambda summary: 100 * summary.validation.log_sd,
    "sums": _sums,
    "least_claimed": _stated("claimed_speedup_lo"),
    "most_claimed": _stated("claimed_speedup_hi"),
    "half_width_of_two": lambda summary: runs.half_width_percent(summary.sd, 2),
    "half_width_of_most": lambda summary: runs.half_width_percent(summary.sd, summary.parameters.most_runs),
}
TABLES = {
    "timelines": tables.timelines,
    "validation": tables.validation,
    "singles": tables.singles,
    "speedups": tables.speedups,
    "readings": tables.readings,
}
