"""Tables in, numbered plotly figures out."""

from benchbook.figures.record import MIME_TYPE, Figure

__all__ = ["MIME_TYPE", "Figure"]
