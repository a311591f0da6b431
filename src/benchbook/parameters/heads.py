"""The head of each chapter's page, before anything else of it is loaded: what it asks, on what engine, its profiles."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from benchbook import project
from benchbook.errors import BenchbookError
from benchbook.parameters.kinds import Kind

PACKAGE = "benchbook.chapters"
FENCE = "---"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Settings(BaseModel):
    """Base of what stands between two lines of --- as YAML: no other names, and nothing is changed later."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Facts(Settings):
    """What a chapter is.

    subject: its title. question: what it asks. engine: as a reader calls it, "" where nothing is measured. version: of
    the measurement; it goes up when a stored run would no longer answer the same question; 0 where nothing is stored.
    device: whether its trials read from or write to the disk, so that the canary's reads bear on their verdicts too.
    reads: other experiments whose published runs its claims use. leads: whether `make book` measures it, as one of the
    few by which the book answers its questions. quick, paper: the profiles, parameters by name, with
    what each is for under ``about``; standard is the defaults.
    """

    subject: str
    question: str
    engine: str = ""
    version: int = 0
    kind: Kind = Kind.MEASUREMENT
    device: bool = False
    reads: tuple[str, ...] = ()
    leads: bool = False
    quick: dict[str, Any] = {}
    paper: dict[str, Any] = {}


def pages() -> dict[str, Path]:
    """The page of each chapter by its name, in alphabetical order: in a trial, a project of its own, its own alone."""
    folder = next(_folders())
    found = sorted(each.name for each in os.scandir(folder) if each.name.endswith(".md"))
    return {name.removesuffix(".md"): folder / name for name in found}


def page(name: str) -> Path:
    """That of one chapter; raises BenchbookError where there is none."""
    for folder in _folders():
        if (path := folder / f"{name}.md").is_file():
            return path
    raise BenchbookError(f"the chapter {name} has no page", f"write {name}.md beside {name}.py, or restore it from git")


def _folders() -> Iterator[Path]:
    """Where chapters lie: a trial's own, then the book's."""
    with suppress(BenchbookError):  # no project at all, which whoever asks for one is told
        if (own := project.chapters()).is_dir():
            yield own
    found = find_spec(PACKAGE)
    assert found is not None
    assert found.origin is not None
    yield Path(found.origin).parent


def read(path: Path) -> tuple[Mapping[str, Any], list[str]]:
    """The settings of a page, and the lines below them, empty ones in place of those above.

    Raises BenchbookError with the place where there are no settings.
    """
    try:
        about = path.stat()
    except OSError as error:
        raise BenchbookError(f"{path.name} cannot be read ({error.strerror})", "restore it from git") from None
    return _read(path, about.st_mtime_ns, about.st_size)


@cache
def _read(path: Path, changed_ns: int, size: int) -> tuple[Mapping[str, Any], list[str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    if not lines or lines[0] != FENCE or FENCE not in lines[1:]:
        raise BenchbookError(f"{path.name} does not begin with settings between two lines of {FENCE}", "give it some")
    end = lines.index(FENCE, 1)
    found = loaded(path.name, "\n".join(lines[1:end]))
    if not isinstance(found, dict):
        raise BenchbookError(f"{path.name}: its settings are no names with values", "correct them")
    return found, [*[""] * (end + 1), *lines[end + 1 :]]


def facts(path: Path) -> Facts:
    """What a chapter is, by its page; raises BenchbookError for what is missing or wrong there."""
    found, _ = read(path)
    return checked(Facts, path.name, {name: value for name, value in found.items() if name in Facts.model_fields})


def loaded(place: str, text: str) -> Any:
    """YAML; raises BenchbookError with the place."""
    try:
        return yaml.load(text, _LOADER)  # safe: either loader makes plain values alone
    except yaml.YAMLError as error:
        raise BenchbookError(f"{place}: its settings are no YAML ({error})", "correct them") from error


S = TypeVar("S", bound=Settings)


def checked(kind: type[S], place: str, found: Any) -> S:
    """Settings of a kind; raises BenchbookError with the place and the name of what is wrong."""
    try:
        return kind.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise BenchbookError(f"{place}: {where}: {first['msg']}", "correct its settings") from error
