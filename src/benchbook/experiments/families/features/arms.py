"""Configurations of feature serving: which keys are warmed and which are measured, in a name, a label and settings."""

from __future__ import annotations

from benchbook.model import Configuration, Scalar


def arm(name: str, label: str, draw: str, **others: Scalar) -> Configuration:
    """A configuration that draws its keys in one of the ways that ``keys.requests`` knows.

    others: what the draw asks for (share, exponent); warm=False, probe=False, only_first=True; the chapter's own.
    """
    return Configuration(name, label, {"draw": draw, **others})


def hot_share(percent: float) -> str:
    """Configuration name of a share of requests on warmed keys, such as hot_share_80."""
    return f"hot_share_{percent:g}"
