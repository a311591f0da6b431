"""One key over everything a page depends on: equal keys mean that the page need not be made again."""

import contextlib
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from benchbook import files
from benchbook.store import atomic

CODE = ("package", "versions", "judged with")
"""Inputs beside the notebook and its runs, by their names."""
JUDGED_WITH = (
    "notes/**/*", "claims*.csv", "protocol.csv", "experiments.csv", "plans.csv", "designs.csv", "conditions.csv",
    "published/noise_floor/*/run.json", "published/positive_controls/*/run.json",
)  # fmt: skip
"""Of the data; the claims' own experiments are read with the ledger."""


def tree(folder: Path, patterns: Iterable[str] = ("**/*",)) -> dict[str, str]:
    """Relative path to SHA-256 for the files of a folder; none when the folder does not exist."""
    found = {path for pattern in patterns for path in folder.glob(pattern) if path.is_file()}
    kept = sorted(path for path in found if "__pycache__" not in path.parts and ".ipynb_checkpoints" not in path.parts)
    return {path.relative_to(folder).as_posix(): files.sha256(path) for path in kept}


def package(root: Path) -> dict[str, str]:
    return tree(root / "src" / "benchbook", ("**/*.py",))


@cache
def versions() -> dict[str, str]:
    """Versions of Python and of what the package depends on: another scipy may give another page."""
    found = {"python": ".".join(str(part) for part in sys.version_info[:3])}
    for requirement in metadata.requires("benchbook") or []:
        if match := re.match(r"[A-Za-z0-9._-]+", requirement):
            # What is asked for on other systems alone is not installed.
            with contextlib.suppress(metadata.PackageNotFoundError):
                found[match.group()] = metadata.version(match.group())
    return found


def of_verdicts(root: Path, code: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What verdicts rest on beside their run: code, versions, the notes, the claims, how quiet machines were.

    code: the files of it that count, with their hashes; without, the whole package.
    """
    return {"quiet": quiet(local=False), **of_code(root, code)}


def of_code(root: Path, code: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The same without how quiet machines were, by the names in CODE: code, versions, the notes and the claims."""
    return {
        "package": package(root) if code is None else dict(code),
        "versions": versions(),
        "judged with": tree(root / "data", JUDGED_WITH),
    }


def quiet(*, local: bool) -> list[Any]:
    """The quiet levels that verdicts rest on. local: also from runs that are not published."""
    from benchbook.numbers import environment  # brings the statistics, which few readers of this module need

    return sorted([*name, level] for name, level in environment.quiet_levels(local=local).items())


def key(parts: dict[str, Any]) -> str:
    """SHA-256 over the parts, whatever the order in which they were put in."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def write_atomically(path: Path, text: str) -> None:
    """The file has either its old content or all of the new one, even when the power is cut."""
    atomic.make_folder(path.parent)
    atomic.write_text(path, text)


def write_json(path: Path, content: Any) -> None:
    """The same for a record that pages are made of."""
    write_atomically(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read_once(path: Path, parse: Callable[[str], Any]) -> Any:
    """What a file says, parsed once for each state of it: a book cites some hundred figures, and YAML is slow."""
    return _parsed(path, path.stat().st_mtime_ns, parse)


@cache
def _parsed(path: Path, _moment: int, parse: Callable[[str], Any]) -> Any:
    return parse(path.read_text("utf-8"))


def read_json(path: Path) -> dict[str, Any]:
    """The file's JSON object, or nothing when it is absent or unreadable: then the page is simply made again."""
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
