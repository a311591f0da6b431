"""Tables in, numbered plotly figures out."""

from benchbook.figures.prose import Prose, interval_name, with_interval
from benchbook.figures.record import MIME_TYPE, Figure
from benchbook.figures.verdicts import VERDICTS_MIME_TYPE, VerdictTable

__all__ = ["MIME_TYPE", "VERDICTS_MIME_TYPE", "Figure", "Prose", "VerdictTable", "interval_name", "with_interval"]
