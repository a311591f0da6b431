"""The code that measured, as it was at a commit, and its hashes of every kind: for the table of earlier hashes.

    python -m tests.measuring_code earlier                print the rows of the hashes that published runs carry
    python -m tests.measuring_code later COMMIT WHY       print the rows of what has changed since a commit

Rows of ``earlier`` are proven by the tests. Those of ``later`` name every definition that differs, which the tests
prove too; that these ask the same of engines, and time the same, is for whoever adds them to see and to say in WHY.
"""

from __future__ import annotations

import argparse
import ast
import csv
import hashlib
import io
import json
import sys
import tarfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from benchbook import lab, runner
from benchbook.provenance import closure, git, measured

ROOT = Path(__file__).parents[1]
COLUMNS = ("experiment", "recorded_sha256", "same_as_sha256", "commits", "differs", "why")
BYTES = "the same code, by the bytes of its files"
SYNTAX = "the same code, by the syntax of its files"


@cache
def at_commit(commit: str) -> closure.Read | None:
    """Reads sources as they were at a commit; None when git does not have it."""
    try:
        archive = git.clone(ROOT).ask("archive", commit, "src/benchbook")
    except git.GitError:
        return None
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        files = {each.name.removeprefix("src/benchbook/"): tar.extractfile(each) for each in tar if each.isfile()}
        sources = {name: file.read() for name, file in files.items() if file is not None and name.endswith(".py")}
    return sources.get


def reads_commits() -> bool:
    """Whether git has the commits of this clone's history."""
    return any(at_commit(commit) is not None for _, commit, _ in published())


def modules(experiment: str, read: closure.Read) -> list[str]:
    """The modules from which an experiment takes what its measuring begins with, in the shape that its package has."""
    own = f"benchbook.experiments.{experiment}"
    source = closure.source_of(own, read)[1] or b""
    if b"chapter = Chapter(" in source:
        return ["benchbook.runner.running", f"{own}.arms", f"{own}.measure", "benchbook.experiments.planning"]
    wanted, found = {"Parameters", "plan", "reduce", "session"}, set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module for alias in node.names if alias.name in wanted}
    return ["benchbook.runner.running", *sorted(found or {own})]


def definitions(experiment: str, read: closure.Read) -> dict[str, str]:
    """What an experiment's trials reach, hashed, at the state that ``read`` reads."""
    own = f"benchbook.experiments.{experiment}"
    if b"chapter = Chapter(" in (closure.source_of(own, read)[1] or b""):
        return measured.each_reached(runner.measuring(lab.experiment(experiment)), read)
    return measured.each_reached(modules(experiment, read), read)


def sources(experiment: str, read: closure.Read) -> dict[str, bytes]:
    """The files of which runs of before 2026-11-26 carry a hash."""
    return closure.closure(modules(experiment, read), read, within=measured.MEASURING)


def of_bytes(files: dict[str, bytes]) -> str:
    """The hash that runs of before 2026-11-23 carry."""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + files[name] + b"\0")
    return digest.hexdigest()


def of_syntax(files: dict[str, bytes]) -> str:
    """The hash that runs of before 2026-11-26 carry."""
    digest = hashlib.sha256()
    for name in sorted(files):
        spelled = hashlib.sha256("".join(_spelled(ast.parse(files[name]))).encode()).hexdigest()
        digest.update(f"{name}\0{spelled}\0".encode())
    return digest.hexdigest()


def _spelled(part: object) -> Iterator[str]:
    if isinstance(part, ast.AST):
        yield f"{type(part).__name__}("
        for name, value in ast.iter_fields(part):
            if name not in {"ctx", "kind", "type_comment", "type_ignores"} and value is not None and value != []:
                yield f"{name}="
                yield from _spelled(value)
        yield ")"
    elif isinstance(part, list):
        yield "["
        for each in part:
            docstring = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
            if not (docstring and isinstance(each.value.value, str)):
                yield from _spelled(each)
        yield "]"
    else:
        yield f"{part!r},"


def published() -> Iterator[tuple[str, str, str]]:
    """Experiment, commit and recorded hash of each published run."""
    for path in sorted((ROOT / "data" / "published").glob("*/*/run.json")):
        record = json.loads(path.read_text())
        yield record["experiment"], str(record["provenance"]["commit"]), record["provenance"]["measurement_sha256"]


def earlier() -> Iterator[tuple[str, ...]]:
    """The rows of hashes of earlier kinds that published runs carry, each with the first commit that proves it."""
    proven = set[str]()
    for experiment, commit, recorded in published():
        read = at_commit(commit)
        if read is not None and recorded not in proven:
            for why, hashed in ((BYTES, of_bytes), (SYNTAX, of_syntax)):
                if hashed(sources(experiment, read)) == recorded:
                    proven.add(recorded)
                    yield experiment, recorded, measured.over(definitions(experiment, read)), commit, "", why


def differing(experiment: str, before: closure.Read, after: closure.Read) -> list[str]:
    """Where the definitions stand, by either state, that one of the two states does not have."""
    own, later = definitions(experiment, before), definitions(experiment, after)
    gone = {place for place, digest in own.items() if digest not in later.values()}
    return sorted(gone | {place for place, digest in later.items() if digest not in own.values()})


def later(commit: str, why: str) -> Iterator[tuple[str, ...]]:
    """The rows of what has changed between a commit and the newest one, for each experiment that it concerns."""
    newest = git.clone(ROOT).ask("rev-parse", "HEAD").decode().strip()
    before, after = at_commit(commit), at_commit(newest)
    if before is None or after is None:
        raise SystemExit(f"git has no {commit}")
    for experiment in sorted(set(lab.names()) - set(lab.analyses())):
        was, now = (measured.over(definitions(experiment, read)) for read in (before, after))
        if was != now:
            differs = " ".join(differing(experiment, before, after))
            yield experiment, was, now, f"{commit}..{newest}", differs, why


def write(rows: Iterable[tuple[str, ...]]) -> None:
    """As CSV to standard output, in order."""
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerows([COLUMNS, *sorted(rows)])


def main() -> None:
    """What the first lines say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("earlier")
    given = commands.add_parser("later")
    given.add_argument("commit")
    given.add_argument("why")
    asked = parser.parse_args()
    write(earlier() if asked.command == "earlier" else later(asked.commit, asked.why))


if __name__ == "__main__":
    main()
