"""Numbered plotly figures, and what notebooks show beside them."""

from benchbook.figures.lesson import LESSON_MIME_TYPE, OPENING_MIME_TYPE, Finding, Lesson, Opening
from benchbook.figures.numbers import spoken, with_interval
from benchbook.figures.prose import Prose, interval_name, intervals_said, mean_count
from benchbook.figures.record import MIME_TYPE, Figure
from benchbook.figures.verdicts import VERDICTS_MIME_TYPE, VerdictTable

__all__ = [
    "LESSON_MIME_TYPE", "MIME_TYPE", "OPENING_MIME_TYPE", "VERDICTS_MIME_TYPE", "Figure", "Finding", "Lesson",
    "Opening", "Prose", "VerdictTable", "interval_name", "intervals_said", "mean_count", "spoken", "with_interval",
]  # fmt: skip
