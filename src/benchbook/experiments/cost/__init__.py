"""What do the notes' prices say about throughput for the money?"""

from benchbook.experiments.cost import cost_figures
from benchbook.experiments.cost.judgements import judge_claims
from benchbook.experiments.cost.learned import lesson
from benchbook.experiments.cost.parameters import Parameters
from benchbook.experiments.cost.prose import advice, answer, daily, prices
from benchbook.experiments.cost.summary import Summary, summarize
from benchbook.experiments.kinds import Kind
from benchbook.figures import Figure
from benchbook.model import Verdict

NAME = "cost"
TITLE = "Throughput for the money"
KIND = Kind.ANALYSIS
ENGINE = ""

FIGURES = {"per_dollar": cost_figures.per_dollar, "ratio": cost_figures.ratio}


def figures(summary: Summary) -> dict[str, Figure]:
    """All figures of the chapter by short name, in reading order."""
    return {name: draw(summary) for name, draw in FIGURES.items()}


def judge(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, at the notes' own prices; no parameter changes any of them."""
    return judge_claims()


__all__ = [
    "ENGINE",
    "KIND",
    "NAME",
    "TITLE",
    "Parameters",
    "Summary",
    "advice",
    "answer",
    "daily",
    "figures",
    "judge",
    "lesson",
    "prices",
    "summarize",
]
