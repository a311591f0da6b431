"""What papermill loads when it starts: with it, parameters are read as Benchbook reads them, and none is lost.

papermill reads a file of parameters in its own process, before a notebook is asked: as YAML 1.1, in which 010 is eight
and 1:30 ninety, and in which a name that is set twice is set to the last value. It writes names into a cell as they
come, so that ``class`` or ``a b`` end in a syntax error of the kernel.
"""

import keyword
from typing import Any

from benchbook.errors import BenchbookError
from benchbook.parameters import yaml_text


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
        raise BenchbookError(f"{name!r} cannot be a parameter", "see `benchbook show` for the names and their meaning")
