"""Can the intervals and verdicts of this book be trusted?"""

from benchbook.experiments.calibration import coverage_figures, verdict_figures
from benchbook.experiments.calibration.cells import plan
from benchbook.experiments.calibration.learned import lesson
from benchbook.experiments.calibration.measure import needs, reduce, session
from benchbook.experiments.calibration.parameters import Parameters
from benchbook.experiments.calibration.prose import answer, design, exceptions, gate, power, reasons, wrong_coverage
from benchbook.experiments.calibration.summary import Summary, summarize
from benchbook.experiments.calibration.verdict_figures import outcomes
from benchbook.experiments.kinds import Kind
from benchbook.figures import Figure
from benchbook.model import Verdict

NAME = "calibration"
TITLE = "Can these intervals be trusted?"
KIND = Kind.SIMULATION
ENGINE = ""
MEASUREMENT_VERSION = 1

FIGURES = {
    "effects": coverage_figures.effects,
    "estimates": coverage_figures.estimates,
    "shapes": coverage_figures.shapes,
    "within": coverage_figures.within,
    "wrong_ways": coverage_figures.wrong_ways,
    "false_verdicts": verdict_figures.false_verdicts,
    "power": verdict_figures.power,
    "widths": coverage_figures.widths,
}


def figures(summary: Summary) -> dict[str, Figure]:
    """All figures of the chapter by short name, in reading order."""
    return {name: draw(summary) for name, draw in FIGURES.items()}


def judge(summary: Summary) -> list[Verdict]:
    """No verdicts: the ledger has no claim about the book's own statistics."""
    return []


__all__ = [
    "ENGINE",
    "KIND",
    "MEASUREMENT_VERSION",
    "NAME",
    "TITLE",
    "Parameters",
    "Summary",
    "answer",
    "design",
    "exceptions",
    "figures",
    "gate",
    "judge",
    "lesson",
    "needs",
    "outcomes",
    "plan",
    "power",
    "reasons",
    "reduce",
    "session",
    "summarize",
    "wrong_coverage",
]
