"""Runs on disk: written trial by trial, read whole or refused.

What reads or writes tables is loaded when it is asked for: listing the runs needs none.
"""

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
from benchbook.store.processors import model_known, model_of
from benchbook.store.run_lock import HeldError

if TYPE_CHECKING:
    from benchbook.store.pooling import part_of_blocks, parts, pooled, without
    from benchbook.store.publishing import publish
    from benchbook.store.reading import read_run
    from benchbook.store.sessions import (
        clocks_back,
        measuring_s,
        sessions_of,
        stored_measuring_s,
        stored_visits,
        visits_of,
    )
    from benchbook.store.writing import RunWriter

_LATE = {
    "pooling": ("part_of_blocks", "parts", "pooled", "without"),
    "publishing": ("publish",),
    "reading": ("read_run",),
    "sessions": (
        "clocks_back", "measuring_s", "sessions_of", "stored_measuring_s", "stored_visits",
        "visits_of",
    ),
    "writing": ("RunWriter",),
}  # fmt: skip

__all__ = [
    "Entry", "HeldError", "RunWriter", "catalogue", "check_files", "checked", "clocks_back", "complete",
    "engine_in_words", "find_begun_anew", "find_being_measured", "find_complete", "find_damaged", "find_entry",
    "find_passed_over", "find_unfinished", "measuring_s", "model_known", "model_of", "part_of_blocks", "parts",
    "pooled", "publish", "read_entry", "read_run", "same_engine", "sessions_of", "stored_measuring_s",
    "stored_visits", "visits_of", "without",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    for module, names in _LATE.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
