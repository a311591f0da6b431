"""Runs on disk: written trial by trial, read whole or refused."""

from benchbook.store.catalogue import (
    Entry,
    catalogue,
    find_begun_anew,
    find_complete,
    find_damaged,
    find_entry,
    find_unfinished,
    read_entry,
)
from benchbook.store.checks import check_files
from benchbook.store.publishing import publish
from benchbook.store.reading import read_run
from benchbook.store.writing import RunWriter

__all__ = [
    "Entry",
    "RunWriter",
    "catalogue",
    "check_files",
    "find_begun_anew",
    "find_complete",
    "find_damaged",
    "find_entry",
    "find_unfinished",
    "publish",
    "read_entry",
    "read_run",
]
