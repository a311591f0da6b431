"""What all chapters conclude, kept until anything changes that verdicts rest on: judging all of them takes a while."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchbook import nofollow, project
from benchbook.book.records import inputs
from benchbook.book.records.judged import VERDICT, Judged
from benchbook.claims import Claim

FILE = "verdicts.key.json"
"""In the folder of the built book."""


def key(*, published_only: bool) -> str | None:
    """Of the code, the ledger, and every run that there is; None where a list is no file that is read here."""
    root = project.root()
    judged_with = {path for pattern in inputs.JUDGED_WITH for path in (root / "data").glob(pattern)}
    if any(path.lstat().st_size > nofollow.TEXT_BYTES or path.is_symlink() for path in judged_with):
        return None  # who judges says what is wrong with it
    where = ("data/published", "foreign") if published_only else ("data/published", "foreign", "runs")
    found = (path for folder in where for path in (root / folder).glob("*/*/run.json"))
    runs = sorted((str(path), each.st_size, each.st_mtime_ns) for path in found if (each := path.lstat()))
    return inputs.key({**inputs.of_code(root), "runs": runs, "published only": published_only})


def read(wanted: str | None, claims: Mapping[str, Claim]) -> list[Judged] | None:
    """What was kept with this key; None where nothing was, or it cannot be read."""
    kept = inputs.read_json(_path())
    if wanted is None or kept.get("key") != wanted:
        return None
    return [
        Judged(claims[each["verdict"]["claim_id"]], VERDICT.validate_python(each["verdict"]), each["by"], each["run"])
        for each in kept["given"]
    ]


def write(wanted: str, given: Iterable[Judged]) -> None:
    """Keep it in place of what was kept before."""
    kept: list[dict[str, Any]] = [
        {"verdict": VERDICT.dump_python(each.verdict, mode="json"), "by": each.judged_by, "run": each.run_id}
        for each in given
    ]
    inputs.write_atomically(_path(), json.dumps({"key": wanted, "given": kept}))


def _path() -> Path:
    return project.root() / "_build" / FILE
