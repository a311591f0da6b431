"""Static drawings of the figures: SVG, PNG and PDF, once per state of a figure."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from benchbook.figures import drawings
from benchbook.store import atomic


def waiting(folder: Path, records: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The figures of which no drawing, or one of other data, is stored in a folder."""
    return [record for record in records if not _is_current(folder, record)]


def _is_current(folder: Path, record: Mapping[str, Any]) -> bool:
    note = folder / f"{record['id']}.sha256"
    drawn = all((folder / f"{record['id']}.{suffix}").is_file() for suffix in drawings.SUFFIXES)
    return drawn and note.is_file() and note.read_text("utf-8").split()[:1] == [record["data_sha256"]]


def draw(folder: Path, records: Iterable[Mapping[str, Any]], done: Callable[[str], None]) -> int:
    """Draw into a folder what is waiting, and return how many figures that were. done: called with the id of each.

    Raises MachineError when there is no browser; the drawings that exist stay.
    """
    wanted = waiting(folder, records)
    if not wanted:
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    with drawings.browser():
        for record in wanted:
            note = folder / f"{record['id']}.sha256"
            note.unlink(missing_ok=True)  # until all three are new, none of them counts
            for suffix in drawings.SUFFIXES:
                atomic.write_bytes(folder / f"{record['id']}.{suffix}", drawings.draw(record["plot"], suffix))
            atomic.write_bytes(note, f"{record['data_sha256']}  data of {record['id']}\n".encode())
            done(record["id"])
    return len(wanted)
