"""Runs on disk: written trial by trial, read whole or refused.

What reads or writes tables is loaded when it is asked for: listing the runs needs none.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from benchbook.store.answers import engine_in_words, same_engine
from benchbook.store.catalogue import (
    Entry,
    catalogue,
    complete,
    find_begun_anew,
    find_being_measured,
    find_complete,
    find_damaged,
    find_entry,
    find_passed_over,
    find_unfinished,
    read_entry,
)
from benchbook.store.checks import check_files, checked
from benchbook.store.leases import HeldError

if TYPE_CHECKING:
    from benchbook.store.pooling import part_of_blocks, parts, pooled, without
    from benchbook.store.publishing import publish
    from benchbook.store.reading import read_run
    from benchbook.store.sessions import (
        clocks_back,
        measuring_s,
        model_known,
        model_of,
        sessions_of,
        stored_measuring_s,
        stored_visits,
        visits_of,
    )
    from benchbook.store.writing import RunWriter

_LATE = {
    "RunWriter": "writing",
    "clocks_back": "sessions",
    "measuring_s": "sessions",
    "model_known": "sessions",
    "model_of": "sessions",
    "part_of_blocks": "pooling",
    "parts": "pooling",
    "pooled": "pooling",
    "publish": "publishing",
    "read_run": "reading",
    "sessions_of": "sessions",
    "stored_measuring_s": "sessions",
    "stored_visits": "sessions",
    "visits_of": "sessions",
    "without": "pooling",
}

__all__ = [
    "Entry",
    "HeldError",
    "RunWriter",
    "catalogue",
    "check_files",
    "checked",
    "clocks_back",
    "complete",
    "engine_in_words",
    "find_begun_anew",
    "find_being_measured",
    "find_complete",
    "find_damaged",
    "find_entry",
    "find_passed_over",
    "find_unfinished",
    "measuring_s",
    "model_known",
    "model_of",
    "part_of_blocks",
    "parts",
    "pooled",
    "publish",
    "read_entry",
    "read_run",
    "same_engine",
    "sessions_of",
    "stored_measuring_s",
    "stored_visits",
    "visits_of",
    "without",
]


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
