"""Static drawings of plotly figures: SVG, PNG or PDF, through kaleido and the system's Chromium."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import kaleido
from pypdf import PdfReader, PdfWriter

from benchbook import interruption
from benchbook.errors import MachineError, check_known
from benchbook.figures import contained
from benchbook.figures.theme import HEIGHT_PX
from benchbook.store import atomic

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SUFFIXES = ("svg", "png", "pdf")
THEMES: dict[str, dict[str, str]] = {
    "light": {"paper": "#ffffff", "text": "#1f2328", "grid": "#d8dee4"},
    "dark": {"paper": "#121212", "text": "#ced6dd", "grid": "#48566b"},
    "print": {"paper": "rgba(0,0,0,0)", "text": "#000000", "grid": "#c8c8c8"},
}
WIDTH_PX = 800
_PNG_SCALE = 1.5
"""1,200 pixels across, sharp in a column of 10 cm at 300 dpi; a larger one is asked of the SVG or the PDF."""


def chromium(purpose: str, otherwise: str) -> str:
    """Path of the Chromium or Chrome to use; raises MachineError, with what needs one and what works without."""
    path = os.environ.get("BENCHBOOK_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    found = shutil.which(path) if path else None
    if found is None:
        raise MachineError(
            f"no Chromium or Chrome was found, and {purpose} needs one",
            "install it (Debian: apt-get install chromium) or name one: BENCHBOOK_CHROMIUM=/path/to/chrome; "
            f"{otherwise}",
        )
    return found


@contextmanager
def browser() -> Iterator[None]:
    """One Chromium for all drawings made inside; raises MachineError when there is none or it does not start."""
    path = chromium("drawing SVG, PNG or PDF", "the table (CSV) and the plotly JSON need none")
    try:
        try:
            with interruption.held():  # what began half would never end
                kaleido.start_sync_server(n=1, path=path, silence_warnings=True)
        except Exception as error:  # kaleido and its browser driver have no base class of their own
            raise MachineError(f"{path} does not start ({error})", "try it by hand, or name another one") from error
        yield
    finally:
        kaleido.stop_sync_server(silence_warnings=True)


def draw(plot: Mapping[str, Any], suffix: str, theme: str = "print") -> bytes:
    """The drawing as a file's bytes; only inside ``browser()``.

    plot: plotly JSON. suffix: one of SUFFIXES. theme: one of THEMES; "print" is black on a transparent ground.
    Raises BenchbookError, with the nearest name, for another suffix or theme.
    """
    check_known("there is no format", suffix, SUFFIXES)
    check_known("there is no theme", theme, THEMES)
    coloured = in_colours(plot, theme)
    height = coloured["layout"].get("height") or HEIGHT_PX
    options = {"format": suffix, "width": WIDTH_PX, "height": height, "scale": _PNG_SCALE if suffix == "png" else 1}
    drawn: bytes = kaleido.calc_fig_sync(coloured, opts=options)
    return each_object_once(drawn) if suffix == "pdf" else drawn


def in_colours(plot: Mapping[str, Any], theme: str) -> dict[str, Any]:
    """A copy of the plot with the theme's colours of paper, text and grid; marks keep theirs."""
    colours = THEMES[theme]
    coloured: dict[str, Any] = contained.drawn(dict(plot))
    layout = coloured.setdefault("layout", {})
    layout["paper_bgcolor"] = colours["paper"]
    layout["plot_bgcolor"] = "rgba(0,0,0,0)"
    layout["font"] = {**layout.get("font", {}), "color": colours["text"]}
    axes = {"xaxis", "yaxis"} | {name for name in layout if name.startswith(("xaxis", "yaxis"))}
    for name in axes:
        layout[name] = {**layout.get(name, {}), "gridcolor": colours["grid"], "linecolor": colours["text"]}
    return coloured


def each_object_once(pdf: bytes) -> bytes:
    """The PDF without repeated objects, never longer than it came.

    Chromium stores a hatched or transparent area as a picture for each bar that has it; a figure of 60 takes 19 MB.
    Repeated until nothing is gained: two pictures are alike only after the masks that they name have become one.
    """
    while True:
        writer, written = PdfWriter(clone_from=PdfReader(BytesIO(pdf))), BytesIO()
        writer.compress_identical_objects(remove_duplicates=True, remove_unreferenced=True)
        writer.write(written)
        if len(written.getvalue()) >= len(pdf):
            return pdf
        pdf = written.getvalue()


def _is_current(folder: Path, record: Mapping[str, Any]) -> bool:
    note = folder / f"{record['id']}.sha256"
    drawn = all((folder / f"{record['id']}.{suffix}").is_file() for suffix in SUFFIXES)
    return drawn and note.is_file() and note.read_text("utf-8").split()[:1] == [record["data_sha256"]]


def draw_all(folder: Path, records: Iterable[Mapping[str, Any]], done: Callable[[str], None]) -> int:
    """Draw into a folder each figure of which it has no drawing, or one of other data; returns how many these were.

    done: called with the id of each. Raises MachineError when there is no browser; the drawings that exist stay.
    """
    wanted = [record for record in records if not _is_current(folder, record)]
    if not wanted:
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    with browser():
        for record in wanted:
            note = folder / f"{record['id']}.sha256"
            note.unlink(missing_ok=True)  # until all three are new, none of them counts
            for suffix in SUFFIXES:
                atomic.write_bytes(folder / f"{record['id']}.{suffix}", draw(record["plot"], suffix))
            atomic.write_bytes(note, f"{record['data_sha256']}  data of {record['id']}\n".encode())
            done(record["id"])
    return len(wanted)
