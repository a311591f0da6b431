"""Profiles: named parameter files. ``standard`` is the defaults; ``quick`` and ``paper`` lie beside the notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

from benchbook import nofollow, project
from benchbook.errors import BenchbookError, shortened, suggestion
from benchbook.experiments import parameter_text

QUICK, STANDARD, PAPER = "quick", "standard", "paper"
PROFILES = (QUICK, STANDARD, PAPER)
_LEVELS = 4
"""Of a profile's file, as ``nofollow.reading`` takes them."""


def check(name: str) -> None:
    """Raise BenchbookError, with the nearest name, unless there is such a profile."""
    if name not in PROFILES:
        raise BenchbookError(
            f"there is no profile {name!r}{suggestion(name, PROFILES)}", f"choose one of: {', '.join(PROFILES)}"
        )


def precedence(record: Mapping[str, Any] | None) -> tuple[bool, str]:
    """Orders the complete runs of a chapter: the one that stands for it comes last, which is the newest.

    A run of the quick profile only tries things out: it stands for the chapter while there is no other.
    """
    known = record or {}
    return known.get("profile") != QUICK, str(known.get("finished_at") or "")


def profile(experiment: str, name: str) -> dict[str, Any]:
    """The parameters that a profile sets; the others keep their defaults."""
    check(name)
    if name == STANDARD:
        return {}
    return read_parameters(project.notebooks() / "profiles" / name / f"{experiment}.yaml", own=True)


def about(experiment: str, name: str) -> str:
    """What the comment at the top of a profile's file says of it; "" where there is none."""
    path = project.notebooks() / "profiles" / name / f"{experiment}.yaml"
    lines = nofollow.words(path, levels=_LEVELS).splitlines() if path.is_file() else []
    return " ".join(line.removeprefix("#").strip() for line in takewhile(lambda line: line.startswith("#"), lines))


def read_parameters(path: Path, *, own: bool = False) -> dict[str, Any]:
    """A YAML file of ``name: value`` lines, each name once; a pipe will do. Raises BenchbookError for any other.

    own: a file of the project, for which neither a pipe nor a link will do.
    """
    shown, mend = shortened(str(path)), "write one `name: value` per line"
    try:
        if own:
            text = nofollow.words(path, levels=_LEVELS)
        else:
            with path.open(encoding="utf-8") as file:
                text = file.read(parameter_text.MOST_CHARACTERS + 1)  # one more than is taken: of an endless device
    except FileNotFoundError:
        raise BenchbookError(f"there is no parameter file {shown}", "check its name") from None
    except IsADirectoryError:
        raise BenchbookError(f"{shown} is a folder", "name a file in it") from None
    except OSError as error:
        raise BenchbookError(f"{shown} cannot be read: {error.strerror}", "name a file that you can read") from None
    except UnicodeDecodeError as error:
        raise BenchbookError(f"{shown} is not valid YAML: {error}", mend) from None
    try:
        content = parameter_text.read(text)
    except ValueError as error:
        raise BenchbookError(f"{shown} cannot be used: {error}", mend) from None
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content):
        raise BenchbookError(f"{shown} has no parameters", mend)
    return content
