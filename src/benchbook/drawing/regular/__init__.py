"""Figures that are estimates with intervals, from a description: points by label, or lines over a number.

What a run cannot estimate has no mark; a figure without a mark says so. Table, alternative text and the name of the
intervals follow from what is drawn. A figure that is more than this is a plain function.
"""

from benchbook.drawing.regular.base import Ask, Found, Given, asked
from benchbook.drawing.regular.dots import Dots
from benchbook.drawing.regular.lines import Lines

__all__ = ["Ask", "Dots", "Found", "Given", "Lines", "asked"]
