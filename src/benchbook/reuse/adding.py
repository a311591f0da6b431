"""Taking in a run of somebody else: all is checked that any command looks at later, before it is here."""

import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa

from benchbook import nofollow, store
from benchbook.errors import BenchbookError, StoredRunError, printable
from benchbook.experiments import catalogue
from benchbook.parameters.kinds import Kind
from benchbook.reuse import foreign, packs
from benchbook.store import Entry, atomic, check_files, schema, tables

MOST_CELLS, MOST_UNPACKED = 30_000_000, 256 << 20
"""Rows times columns, and unpacked bytes, of a table that is taken in: ten and forty times the largest published."""
_ID = re.compile(r"[0-9a-f]{12}-\d{8}T\d{6}(-\d{1,4})?")
_MEND = "ask for it again, or make it again with `benchbook pack`"
_SAME = "nothing to do: a run never changes"


def add(path: Path, problems: Callable[[Entry], Iterable[str]]) -> Entry:
    """Unpack a run beside the other foreign ones, after all was checked that any command looks at later.

    problems: what else is wrong with a run, a sentence each. Raises BenchbookError for what is no pack, for a run that
    is here already, for another run of its id and for one that this version cannot use; StoredRunError for a damaged
    one. Each names the file and the run.
    """
    if foreign.folder().is_symlink():
        raise BenchbookError(f"{foreign.folder()} is a link", "put a folder there")
    with packs.opened(path) as pack:
        target = foreign.folder() / pack.experiment / pack.id
        with atomic.told_as_machine_error(target):
            atomic.make_folder(foreign.folder())
            made = Path(tempfile.mkdtemp(prefix=".new-", dir=foreign.folder()))
        try:
            making = made / pack.experiment / pack.id
            with atomic.told_as_machine_error(target):
                atomic.make_folder(making)
                pack.unpack(making)
            _check(path, making, problems)
            _refuse_known(path, pack.id, making)
            with atomic.told_as_machine_error(target):
                for name in packs.FILES:
                    atomic.sync_file(making / name)
                atomic.make_folder(target.parent)
                if not nofollow.is_folder(target.parent, 2):
                    raise BenchbookError(f"{target.parent} is a link", "put a folder there")
                making.rename(target)
                atomic.sync_folder(target.parent)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return foreign.entry(target)


def _refuse_known(path: Path, identity: str, making: Path) -> None:
    """One id is one content, whatever experiment it is of."""
    content = nofollow.content(making / schema.RUN, schema.MOST_BYTES)
    for each in [*store.catalogue(), *foreign.entries()]:
        if each.id == identity:
            where = "added" if each.foreign else "published" if each.published else "stored"
            if not _holds(each, content):
                raise BenchbookError(
                    f"{path}: run {identity} is {where} here with other content",
                    "ask where the file comes from: a run never changes, and nothing was added",
                )
            raise BenchbookError(f"run {identity} was {where} already", _SAME)


def _holds(entry: Entry, content: bytes) -> bool:
    try:
        return nofollow.content(entry.folder / schema.RUN, schema.MOST_BYTES, entry.levels) == content
    except (OSError, StoredRunError):
        return False


def _check(path: Path, making: Path, problems: Callable[[Entry], Iterable[str]]) -> None:
    found = foreign.entry(making)
    try:
        for problem in _wrong(found, problems):
            raise StoredRunError(f"{path}: run {found.id} is refused: {printable(problem)}", _MEND)
    except StoredRunError as error:
        known = error.problem.replace(f"{making}/", "").replace(str(making), found.id)
        raise StoredRunError(known if str(path) in known else f"{path}: {known}", error.mend) from None


def _wrong(found: Entry, problems: Callable[[Entry], Iterable[str]]) -> Iterator[str]:
    record = found.record
    if record is None:
        yield f"it is damaged: {found.damage}"
        return
    if record["state"] != "complete":
        yield "it is not complete"
        return
    if not _ID.fullmatch(found.id) or not found.id.startswith(f"{record['key']}-"):
        yield "its id is none that a run is given"  # one could be the beginning of another run's
        return
    check_files(found.folder, record, found.levels)
    try:
        module = catalogue.experiment(record["experiment"])
        if module.kind is not Kind.MEASUREMENT:
            yield f"{module.name} measures no machine"
            return
        if record["measurement_version"] != module.version:
            yield (
                f"it is of version {record['measurement_version']} of its measurement, and this Benchbook reads "
                f"version {module.version}"
            )
            return
        parameters = module.Parameters.given(record["parameters"])
        trials = len(module.plan(parameters, first_block=record["first_block"], blocks=record["blocks"]).trials)
    except BenchbookError as error:
        yield f"its parameters are none of {record['experiment']}: {error.problem}"
        return
    for name in (schema.TRIALS, schema.SAMPLES):
        try:
            rows, columns, unpacked = tables.size(found.folder / name)
        except (pa.ArrowException, ValueError, OSError) as error:
            yield f"{name} is no table ({error})"
            return
        if rows * columns > MOST_CELLS or unpacked > MOST_UNPACKED:
            unpacks = f"{rows:,} rows of {columns:,} columns in {unpacked:,} bytes"
            yield f"{name} has {unpacks}, more than a run that is passed on may have"
            return
        if name == schema.TRIALS and rows != trials:
            yield f"{name} has {rows:,} rows, and its plan has {trials:,} trials"
            return
    yield from _strange_words(store.read_run(found.folder, published=False).trials)
    yield from problems(found)


def _strange_words(table: pd.DataFrame) -> Iterator[str]:
    """Texts that would steer a terminal."""
    texts = [table[name].dropna().astype(str).unique() for name in table if table[name].dtype.kind not in "biuf"]
    for each in (*map(str, table), *(text for column in texts for text in column)):
        if printable(each) != each or "\n" in each:
            yield f"{schema.TRIALS} has the text {each[:40]!a}"
            return
