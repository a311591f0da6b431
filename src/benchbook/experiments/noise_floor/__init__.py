"""How far apart are two trials of the very same configuration on this machine?"""

from benchbook.experiments.kinds import Kind
from benchbook.experiments.noise_floor import noise_figures, trial_figures
from benchbook.experiments.noise_floor.arms import plan
from benchbook.experiments.noise_floor.judgements import judge_claims as judge
from benchbook.experiments.noise_floor.learned import lesson
from benchbook.experiments.noise_floor.measure import needs, session
from benchbook.experiments.noise_floor.parameters import Parameters
from benchbook.experiments.noise_floor.prose import answer, design, independence, noise_floor_line, samplers
from benchbook.experiments.noise_floor.reduction import reduce
from benchbook.experiments.noise_floor.summary import Summary, summarize
from benchbook.experiments.noise_floor.tables import decomposition, overview
from benchbook.figures import Figure

NAME = "noise_floor"
TITLE = "The noise floor"
KIND = Kind.MEASUREMENT
ENGINE = "PostgreSQL"
MEASUREMENT_VERSION = 1

FIGURES = {
    "trials": trial_figures.trials,
    "aa": noise_figures.aa_ratios,
    "autocorrelation": trial_figures.autocorrelations,
    "detectable": noise_figures.detectable,
}


def figures(summary: Summary) -> dict[str, Figure]:
    """All figures of the chapter by short name, in reading order."""
    return {name: draw(summary) for name, draw in FIGURES.items()}


__all__ = [
    "ENGINE",
    "KIND",
    "MEASUREMENT_VERSION",
    "NAME",
    "TITLE",
    "Parameters",
    "Summary",
    "answer",
    "decomposition",
    "design",
    "figures",
    "independence",
    "judge",
    "lesson",
    "needs",
    "noise_floor_line",
    "overview",
    "plan",
    "reduce",
    "samplers",
    "session",
    "summarize",
]
