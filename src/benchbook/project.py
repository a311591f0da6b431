"""Where things lie: the project's root folder and the folders below it, computed in one place."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from benchbook.errors import BenchbookError

OWN_NUMBERS = "own_numbers"
"""The notebook that judges files instead of measuring, which is no chapter."""
_PARTS = ("_config.yml", "data", "notebooks")


def root() -> Path:
    """The folder that holds ``_config.yml`` and ``data``.

    ``BENCHBOOK_HOME`` names it; else the first such folder from the working directory upwards; else the one that
    the package was installed from. Raises BenchbookError when there is none.
    """
    named = os.environ.get("BENCHBOOK_HOME")
    if named:
        if _lacking(Path(named)):
            raise BenchbookError(
                f"BENCHBOOK_HOME={named} is not a Benchbook folder", "set it to a clone of the project"
            )
        return Path(named).resolve()
    here = Path.cwd().resolve()
    for folder in (here, *here.parents, *Path(__file__).resolve().parents):
        lacking = _lacking(folder)
        if not lacking:
            return folder
        if _is_clone(folder):  # to go on with another clone would surprise
            raise BenchbookError(
                f"{folder} lacks {', '.join(lacking)}", f"restore it: git checkout -- {' '.join(lacking)}"
            )
    raise BenchbookError("no Benchbook folder found", "run this inside a clone, or set BENCHBOOK_HOME to one")


def homes() -> Iterator[Path]:
    """Where programs and sources may lie: the project, which may hold data alone, then the clone of this package."""
    with suppress(BenchbookError):
        yield root()
    yield Path(__file__).resolve().parents[2]


def _lacking(folder: Path) -> list[str]:
    """Which of the parts that make a folder the project's it does not have."""
    return [name for name in _PARTS if not (folder / name).exists()]


def _is_clone(folder: Path) -> bool:
    """Whether a folder is the project's though it lost a part."""
    try:
        return 'name = "benchbook"' in (folder / "pyproject.toml").read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False


def runs() -> Path:
    """Runs measured here; not in git."""
    return root() / "runs"


def published() -> Path:
    """Runs that the book cites; never overwritten."""
    return root() / "data" / "published"


def notebooks() -> Path:
    """The chapters' sources."""
    return root() / "notebooks"


def of_chapters(root: Path) -> list[Path]:
    """The notebooks of chapters below ``root``, by name: all that lie there but the one for numbers of one's own."""
    return sorted(path for path in (root / "notebooks").glob("*.ipynb") if path.stem != OWN_NUMBERS)


def chapters() -> Path:
    """Chapters of a trial, a project of its own with another note's claims; there is none in the book's."""
    return root() / "chapters"


def ledger() -> Path:
    """The pre-registered claims."""
    return root() / "data" / "claims.csv"
