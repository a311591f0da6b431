"""What a chapter is written with: parameters, numbers, figures. The programs that measure have doors of their own."""

from benchbook.claims import Quantity
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.drawn import Blank, Drawn
from benchbook.drawing.regular import Ask, Dots, Given, Lines
from benchbook.figures import with_interval
from benchbook.model import Configuration, Effect, Estimate, PlannedTrial, Scalar, Trial
from benchbook.numbers.algebra import Values, blockwise, counted, fastest, mean, measured, picked, share
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Estimand, custom, known, outermost, told
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.quantities import Told, on_hosts, percent
from benchbook.numbers.summary import NotEstimableError, Summary
from benchbook.pages.prose import each
from benchbook.pages.tables import levels, means, table
from benchbook.parameters.base import (
    AnalysisParameters,
    ExperimentParameters,
    common,
    other_numbers,
    param,
    refuse,
)
from benchbook.parameters.needs import Needs
from benchbook.statistics import Gate

__all__ = [
    "AnalysisParameters", "Answer", "Ask", "Blank", "ClaimFigure", "Configuration", "Dots", "Drawn", "Effect",
    "Estimand", "Estimate", "ExperimentParameters", "Gate", "Given", "Lines", "Metric", "Metrics", "Needs",
    "NotEstimableError", "PlannedTrial", "Quantity", "Scalar", "Summary", "Told", "Trial", "Values", "blockwise",
    "common", "counted", "custom", "each", "fastest", "known", "levels", "mean", "means", "measured", "on_hosts",
    "other_numbers", "outermost", "param", "percent", "picked", "refuse", "share", "table", "told", "with_interval",
]  # fmt: skip
