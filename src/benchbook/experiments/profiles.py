"""Profiles: named parameter files. ``standard`` is the defaults; ``quick`` and ``paper`` lie beside the notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from benchbook import project
from benchbook.errors import BenchbookError, suggestion

STANDARD = "standard"
PROFILES = ("quick", STANDARD, "paper")


def check(name: str) -> None:
    """Raise BenchbookError, with the nearest name, unless there is such a profile."""
    if name not in PROFILES:
        raise BenchbookError(
            f"there is no profile {name!r}{suggestion(name, PROFILES)}", f"choose one of: {', '.join(PROFILES)}"
        )


def profile(experiment: str, name: str) -> dict[str, Any]:
    """The parameters that a profile sets; the others keep their defaults."""
    check(name)
    if name == STANDARD:
        return {}
    return read_parameters(project.notebooks() / "profiles" / name / f"{experiment}.yaml")


def read_parameters(path: Path) -> dict[str, Any]:
    """A YAML file of ``name: value`` lines."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BenchbookError(f"there is no parameter file {path}", "check its name") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BenchbookError(
            f"{path} is no YAML: {str(error).splitlines()[0]}", "write one `name: value` per line"
        ) from None
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content):
        raise BenchbookError(f"{path} holds no parameters", "write one `name: value` per line")
    return content
