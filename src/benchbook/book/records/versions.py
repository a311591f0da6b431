"""Which state of the published runs each released version stands for; a development version stands for none."""

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from benchbook import nofollow
from benchbook.errors import BenchbookError
from benchbook.store import atomic, sums

FILE = Path("data") / "versions.csv"
"""A line for each released version since 0.10.0; those of before were tied to no state."""
COLUMNS = ("version", "date", "data_sha256")
DIGITS = 12
"""Of the hash, as many as tell two states of the data apart."""
_DEVELOPMENT = re.compile(r"\.dev\d+$")
_RUN_DAY = re.compile(r"-(\d{4})(\d{2})(\d{2})T\d{6}/")


@dataclass(frozen=True)
class Version:
    """A released version. date: ISO. data_sha256: of ``state`` at its release."""

    version: str
    date: str
    data_sha256: str


def is_development(version: str) -> bool:
    """Whether it is of a time between two releases, such as 0.11.0.dev0, when runs are published at any time."""
    return bool(_DEVELOPMENT.search(version))


def state(root: Path) -> str:
    """The state of the published runs: SHA-256 over the list of the hashes of all of their files; "" without any."""
    path = root / "data" / "published" / sums.FILE
    return nofollow.sha256(path, nofollow.RUN) if path.is_file() else ""


def last_day(root: Path) -> str:
    """The day on which the newest of the published runs began, ISO; "" without any."""
    path = root / "data" / "published" / sums.FILE
    found = _RUN_DAY.findall(nofollow.words(path, levels=nofollow.RUN)) if path.is_file() else []
    return "-".join(max(found)) if found else ""


def released(root: Path) -> dict[str, Version]:
    """The released versions, the oldest first; none where the file is missing.

    Raises BenchbookError for a version that stands there twice or is one of development, and for no hash or date.
    """
    path = root / FILE
    if not path.is_file():
        return {}
    found: dict[str, Version] = {}
    for row in nofollow.rows(path):
        wrong = "" if {*row} == {*COLUMNS} else f"has other columns than {', '.join(COLUMNS)}"
        each = Version(*(str(row.get(name) or "") for name in COLUMNS))
        wrong = wrong or _wrong(each, found)
        if wrong:
            raise BenchbookError(f"{FILE} {wrong}", "correct its line, or restore the file with `git checkout`")
        found[each.version] = each
    return found


def _wrong(each: Version, before: dict[str, Version]) -> str:
    if each.version in before:
        return f"has {each.version} twice; a version stands for one state of the data"
    if not each.version or is_development(each.version):
        return f"lists {each.version or 'a version without a name'}, and only what was released has a state of its own"
    if not re.fullmatch(r"[0-9a-f]{64}", each.data_sha256):
        return f"has no SHA-256 of 64 digits for {each.version}"
    try:
        date.fromisoformat(each.date)
    except ValueError:
        return f"has no date such as 2026-11-27 for {each.version}"
    return ""


def check(root: Path, version: str) -> None:
    """Raise BenchbookError where a released version stands for other data than those that are here, or for none."""
    if is_development(version):
        return
    known, now = released(root).get(version), state(root)
    if known is None:
        raise BenchbookError(
            f"{version} is a released version and has no line in {FILE}",
            "see “A version” in CONTRIBUTING.md; between two releases, use a development version, such as 0.11.0.dev0",
        )
    if known.data_sha256 != now:
        raise BenchbookError(
            f"{version} stands for the data {known.data_sha256[:DIGITS]}, and the published runs are {now[:DIGITS]}",
            "after a release, go on with a development version, such as 0.11.0.dev0, in all places that "
            "tests/book/test_metadata.py compares; or restore data/published",
        )


def cited(root: Path, version: str) -> str:
    """The version as it is cited: by itself where it stands for the data as they are, else with their state."""
    now = state(root)
    known = released(root).get(version)
    return version if not now or (known and known.data_sha256 == now) else f"{version}, data {now[:DIGITS]}"


def release(root: Path, version: str, day: str) -> None:
    """Write the line of a released version unless it is there; none for a development version. Raises as ``check``."""
    known = released(root)
    if not is_development(version) and version not in known:
        every = [*known.values(), Version(version, day, state(root))]
        lines = [",".join(COLUMNS), *(f"{each.version},{each.date},{each.data_sha256}" for each in every)]
        atomic.write_text(root / FILE, "".join(f"{line}\n" for line in lines))
    check(root, version)
