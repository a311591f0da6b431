"""What papermill loads when it starts, and what it gave a notebook: parameters are read as we do, and none is lost.

papermill reads a file of parameters in its own process, before a notebook is asked: as YAML 1.1, in which 010 is eight
and 1:30 ninety, and in which a name that is set twice is set to the last value. It writes names into a cell as they
come, so that ``class`` or ``a b`` end in a syntax error of the kernel. The notebook's variables do not show all that it
gave: an import may have taken the place of one, and IPython has names of its own. So the kernel is asked for the cell.
"""

import ast
import keyword
import sys
from typing import Any

from benchbook.errors import BenchbookError
from benchbook.parameters import yaml_text

FIRST_LINE = "# Parameters"
"""Of the cell that papermill adds to a notebook in Python."""
_MEND = "see `benchbook show` for the names and their meaning"


def __getattr__(name: str) -> Any:
    """``local``, for which papermill asks while it is being imported: its own way to read and write local files."""
    if name != "local":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from papermill import iorw, translators

    class Python(translators.PythonTranslator):  # type: ignore[misc]
        """Writes assignments."""

        @classmethod
        def assign(cls, name: object, str_val: str) -> str:
            check_name(name)
            return str(super().assign(name, str_val))

    iorw.NoDatesSafeLoader = yaml_text.Loader
    translators.papermill_translators.register("python", Python)
    return iorw.LocalHandler()


def check_name(name: object) -> None:
    """Raise BenchbookError for one that cannot be assigned to in Python."""
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise BenchbookError(f"{name!r} cannot be a parameter", _MEND)


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
                line = ast.unparse(statement)
                raise BenchbookError(f"the parameters have the line {line!r}, which sets no parameter", _MEND)
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
