"""What papermill gave a notebook: the assignments of the cell that it adds, as the kernel remembers them.

The notebook's variables do not show all of it: an import may have taken the place of one, and IPython has names of its
own.
"""

import ast
import sys
from typing import Any

from benchbook.errors import BenchbookError

FIRST_LINE = "# Parameters"
"""Of the cell that papermill adds to a notebook in Python."""


def assigned() -> dict[str, Any]:
    """Names and values that papermill gave the notebook of this kernel; none outside IPython, or where it gave none.

    Raises BenchbookError where the cell does anything but set names to values.
    """
    cells = [cell for cell in _executed() if cell.partition("\n")[0].rstrip() == FIRST_LINE]
    return read(cells[-1]) if cells else {}


def read(cell: str) -> dict[str, Any]:
    """The same of the cell's text. A value that is no plain one, such as float('nan'), comes as its text."""
    found: dict[str, Any] = {}
    for statement in ast.parse(cell).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = _plain(value)
            case _:
                raise BenchbookError(
                    f"the parameters have the line {ast.unparse(statement)!r}, which sets no parameter",
                    "see `benchbook show` for the names and their meaning",
                )
    return found


def _plain(value: ast.expr) -> Any:
    try:
        return ast.literal_eval(value)
    except ValueError:
        return ast.unparse(value)


def _executed() -> list[str]:
    """The text of every cell that was executed since the kernel started, in order."""
    ipython: Any = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return [] if shell is None else [*shell.history_manager.input_hist_raw]
