"""What can the notes' own numbers support, most of them from a single run?"""

from benchbook.experiments.kinds import Kind
from benchbook.experiments.notes_reanalysis import number_figures, run_figures
from benchbook.experiments.notes_reanalysis.judgements import judge_claims
from benchbook.experiments.notes_reanalysis.learned import lesson
from benchbook.experiments.notes_reanalysis.parameters import Parameters
from benchbook.experiments.notes_reanalysis.prose import (
    against,
    answer,
    changes,
    cliffs,
    mixed_speedups,
    readings,
    singles,
    timeline_table,
    validation_table,
)
from benchbook.experiments.notes_reanalysis.summary import Summary, summarize
from benchbook.figures import Figure
from benchbook.model import Verdict

NAME = "notes_reanalysis"
TITLE = "What the notes' own numbers support"
KIND = Kind.ANALYSIS
ENGINE = ""

FIGURES = {
    "timelines": run_figures.timelines,
    "validation": run_figures.validation,
    "single_run": run_figures.single_run,
    "arithmetic": number_figures.arithmetic,
    "speedup": number_figures.speedup,
}


def figures(summary: Summary) -> dict[str, Figure]:
    """All figures of the chapter by short name, in reading order."""
    return {name: draw(summary) for name, draw in FIGURES.items()}


def judge(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter; no parameter changes any of them."""
    return judge_claims()


__all__ = [
    "ENGINE",
    "KIND",
    "NAME",
    "TITLE",
    "Parameters",
    "Summary",
    "against",
    "answer",
    "changes",
    "cliffs",
    "figures",
    "judge",
    "lesson",
    "mixed_speedups",
    "readings",
    "singles",
    "summarize",
    "timeline_table",
    "validation_table",
]
