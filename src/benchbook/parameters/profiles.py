"""Profiles: parameters by a name. ``standard`` is the defaults; a chapter's page has ``quick`` and ``paper``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchbook.errors import BenchbookError, check_known, shortened
from benchbook.parameters import heads, yaml_text

QUICK, STANDARD, PAPER, CUSTOM = "quick", "standard", "paper", "custom"
PROFILES = (QUICK, STANDARD, PAPER)
_ABOUT = "about"
"""What a page has beside a profile's parameters."""


def check(name: str) -> None:
    """Raise BenchbookError, with the nearest name, unless there is such a profile."""
    check_known("there is no profile", name, PROFILES)


def precedence(record: Mapping[str, Any] | None) -> tuple[int, str]:
    """Orders the complete runs of a chapter: the one that stands for it comes last, which is the newest.

    One with parameters of its own answers a part of the question, and one of the quick profile only tries things out:
    they stand for the chapter while there is no other.
    """
    known = record or {}
    rank = {QUICK: 0, CUSTOM: 1}.get(str(known.get("profile")), 2)
    return rank, str(known.get("finished_at") or "")


def profile(experiment: str, name: str) -> dict[str, Any]:
    """The parameters that a profile sets; the others keep their defaults."""
    check(name)
    if name == STANDARD:
        return {}
    return {key: value for key, value in _head(experiment, name).items() if key != _ABOUT}


def about(experiment: str, name: str) -> str:
    """What the page of a chapter says of a profile; "" where it says nothing."""
    return str(_head(experiment, name).get(_ABOUT, ""))


def _head(experiment: str, name: str) -> dict[str, Any]:
    try:
        page = heads.page(experiment)
    except BenchbookError:  # a notebook by itself, whose own parameters hold
        return {}
    found: dict[str, Any] = getattr(heads.facts(page), name)
    return found


def read_parameters(path: Path) -> dict[str, Any]:
    """A YAML file of ``name: value`` lines, each name once; a pipe will do. Raises BenchbookError for any other."""
    shown, mend = shortened(str(path)), "write one `name: value` per line"
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(yaml_text.MOST_CHARACTERS + 1)  # one more than is taken: of an endless device
    except FileNotFoundError:
        raise BenchbookError(f"there is no parameter file {shown}", "check its name") from None
    except IsADirectoryError:
        raise BenchbookError(f"{shown} is a folder", "name a file in it") from None
    except OSError as error:
        raise BenchbookError(f"{shown} cannot be read: {error.strerror}", "name a file that you can read") from None
    except UnicodeDecodeError as error:
        raise BenchbookError(f"{shown} is not valid YAML: {error}", mend) from None
    try:
        content = yaml_text.read(text)
    except ValueError as error:
        raise BenchbookError(f"{shown} cannot be used: {error}", mend) from None
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content):
        raise BenchbookError(f"{shown} has no parameters", mend)
    return content
