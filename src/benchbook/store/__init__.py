"""Runs on disk: written trial by trial, read whole or refused."""

from benchbook.store.answers import engine_in_words, same_engine
from benchbook.store.catalogue import (
    Entry,
    catalogue,
    complete,
    find_begun_anew,
    find_complete,
    find_damaged,
    find_entry,
    find_unfinished,
    read_entry,
)
from benchbook.store.checks import check_files, checked
from benchbook.store.pooling import part, pooled
from benchbook.store.publishing import publish
from benchbook.store.reading import read_run
from benchbook.store.writing import RunWriter

__all__ = [
    "Entry",
    "RunWriter",
    "catalogue",
    "check_files",
    "checked",
    "complete",
    "engine_in_words",
    "find_begun_anew",
    "find_complete",
    "find_damaged",
    "find_entry",
    "find_unfinished",
    "part",
    "pooled",
    "publish",
    "read_entry",
    "read_run",
    "same_engine",
]
