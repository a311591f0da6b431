"""Notebooks read from and written as text; the one place that calls nbformat, which has no types."""

import json
import re
from typing import Any

import nbformat

KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def parse(text: str) -> Any:
    """The notebook in format 4, its cells and outputs as attributes."""
    return nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]


def text(notebook: Any) -> str:
    """The notebook as it is stored: without the spaces that make a third of an executed one."""
    written = json.loads(nbformat.writes(notebook))  # type: ignore[no-untyped-call]
    return json.dumps(written, ensure_ascii=False, separators=(",", ":")) + "\n"


def heading(notebook: Any) -> str:
    """The first heading of its first level, without the mark; "" when there is none."""
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    found = re.search(r"^# (.+)$", prose, flags=re.MULTILINE)
    return found.group(1).strip() if found else ""


def shown(notebook: Any, kind: str) -> list[Any]:
    """What the cells of an executed notebook show of a MIME type, in their order."""
    return [
        output["data"][kind]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if kind in output.get("data", {})
    ]


def page(markdown: str) -> Any:
    """A notebook with this text alone."""
    cell = nbformat.v4.new_markdown_cell(markdown, id="cell-000")  # type: ignore[no-untyped-call]
    return nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": KERNELSPEC})  # type: ignore[no-untyped-call]
