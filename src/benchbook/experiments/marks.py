# ruff: noqa
"""For chapters of the old shape."""

from benchbook.experiments.shape.marks import ASIDE, COLOURS, add_dots, add_line, bars, blank, by_label
