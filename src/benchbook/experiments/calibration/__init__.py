"""Can the intervals and verdicts of this book be trusted?"""

from benchbook.experiments.calibration import coverage_figures, state_figures, verdict_figures
from benchbook.experiments.calibration.cells import plan
from benchbook.experiments.calibration.learned import lesson
from benchbook.experiments.calibration.measure import needs, reduce, session
from benchbook.experiments.calibration.parameters import Parameters
from benchbook.experiments.calibration.prose import answer, design, exceptions, gate, power, reasons, wrong_coverage
from benchbook.experiments.calibration.state_figures import ruled_standing
from benchbook.experiments.calibration.state_prose import agreed, machines, moving, patience, stalled
from benchbook.experiments.calibration.summary import Summary, summarize
from benchbook.experiments.calibration.verdict_figures import outcomes
from benchbook.experiments.kinds import Kind
from benchbook.figures import Figure
from benchbook.model import Verdict

NAME = "calibration"
TITLE = "Can these intervals be trusted?"
KIND = Kind.SIMULATION
ENGINE = ""
MEASUREMENT_VERSION = 2

FIGURES = {
    "effects": coverage_figures.effects,
    "estimates": coverage_figures.estimates,
    "one_arm_stalls": coverage_figures.alone,
    "shapes": coverage_figures.shapes,
    "within": coverage_figures.within,
    "wrong_ways": coverage_figures.wrong_ways,
    "false_verdicts": verdict_figures.false_verdicts,
    "moving_false": state_figures.moving_false,
    "moving_power": state_figures.moving_power,
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
    "agreed",
    "answer",
    "design",
    "exceptions",
    "figures",
    "gate",
    "judge",
    "lesson",
    "machines",
    "moving",
    "needs",
    "outcomes",
    "patience",
    "plan",
    "power",
    "reasons",
    "reduce",
    "ruled_standing",
    "session",
    "stalled",
    "summarize",
    "wrong_coverage",
]
