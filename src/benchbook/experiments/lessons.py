# ruff: noqa
"""For chapters of the old shape."""

from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.lessons import (
    Side,
    Turn,
    composed as lesson,
    compared,
    findings,
    number,
    shown,
    side,
    told,
    CANNOT_TELL,
)


def Point(claim_id, said, seen, factor=1.0, lead=False, brief=None):
    return Answer(claim_id, None, "", said, seen, factor, lead, brief)
