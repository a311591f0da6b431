"""A crate unpacked into a folder of its own, wherever it comes from, with everything that is wrong with it."""

import json
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from benchbook import files, temporary
from benchbook.book.crate import contents
from benchbook.book.records import editions
from benchbook.errors import BenchbookError, StoredRunError
from benchbook.store import atomic

METADATA = "ro-crate-metadata.json"
LARGEST_BYTES = 4 * 2**30
"""Unpacked; hundreds of times what an edition holds, so that a small file cannot fill a disk."""
_TORN = (BadZipFile, EOFError, FileExistsError, IsADirectoryError, NotADirectoryError, NotImplementedError,
         RuntimeError, UnicodeError, zlib.error)  # fmt: skip
_MEND = "download the crate again from where it was published"


@dataclass(frozen=True)
class CrateContent:
    """edition: its record. problems: one sentence each. folder: where it lies unpacked. described: number of files."""

    folder: Path
    edition: dict[str, Any]
    problems: tuple[str, ...]
    described: int

    @property
    def runs(self) -> list[Path]:
        """Folders of all runs in the crate, also of those that its edition does not name."""
        return sorted(path for path in (self.folder / "data" / "published").glob("*/*") if path.is_dir())

    @property
    def ledgers(self) -> frozenset[str]:
        """SHA-256 of the ledgers in the crate, as they are and not as they are said to be."""
        paths = [self.folder / contents.LEDGER, *(self.folder / contents.LEDGERS).glob("*.csv")]
        return frozenset(files.sha256(path) for path in paths if path.is_file())


@contextmanager
def unpacked(path: Path) -> Iterator[CrateContent]:
    """The content of a crate, in a folder that is removed afterwards.

    Raises BenchbookError when there is no such file, when it is not a whole zip, when it would write outside of its
    folder, and when it is not the crate of an edition.
    """
    if not path.is_file():
        raise BenchbookError(f"there is no file {path}", "name the crate's zip file")
    with temporary.folder("crate") as made:
        folder = made / "content"  # beside its owner's lock, which is not a part of a crate
        folder.mkdir()
        _extract(path, folder)
        yield _content(path, folder)


def _extract(path: Path, folder: Path) -> None:
    try:
        with atomic.told_as_machine_error(folder), ZipFile(path) as archive:
            try:
                _check(path, archive.infolist())
                archive.extractall(folder)
            except _TORN as error:
                raise BadZipFile(str(error)) from error
    except BadZipFile as error:
        raise BenchbookError(f"{path} is not a complete zip file ({error})", _MEND) from error


def _check(path: Path, entries: list[ZipInfo]) -> None:
    """Refuse a zip before anything of it is written."""
    seen = set()
    for entry in entries:
        parts = PurePosixPath(entry.filename).parts
        # orig_filename: as it is written in the file; zipfile mends some names on its own.
        if entry.filename.startswith("/") or ".." in parts or "\\" in entry.orig_filename or ":" in "".join(parts[:1]):
            raise BenchbookError(f"{path} would write outside its folder: {entry.orig_filename!r}", _MEND)
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise BenchbookError(f"{path} has a link, {entry.filename!r}; a crate must not have one", _MEND)
        if parts in seen:
            raise BenchbookError(f"{path} has {entry.filename!r} twice", _MEND)
        seen.add(parts)
        if entry.flag_bits & 1 or entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise BenchbookError(f"{path} is encrypted, or compressed in another way than a crate", _MEND)
    size = sum(entry.file_size for entry in entries)
    if size > LARGEST_BYTES:
        raise BenchbookError(f"{path} unpacks to {size / 2**30:.1f} GiB, more than any crate may have", _MEND)


def _content(path: Path, folder: Path) -> CrateContent:
    graph = _graph(path, folder)
    described = {unquote(str(entity["@id"])): entity for entity in graph if "File" in _kinds(entity)}
    found = sorted((folder / editions.FOLDER).glob(f"*/{editions.RECORD}"))
    if len(found) != 1:
        raise BenchbookError(f"{path} has {len(found)} editions instead of one", _MEND)
    name = found[0].parent.name
    problems = [*_files(folder, described)]
    edition = editions.read(folder, name)
    named = {problem.split(" ", 1)[0] for problem in problems}  # files that are missing or altered
    problems += [problem for problem in editions.problems(folder, name) if problem.split(" ", 1)[0] not in named]
    try:
        problems += _tables(folder, editions.figures(folder, name))
    except StoredRunError as error:
        problems.append(error.problem)
    problems += [*_actions(edition, graph), *_list_runs(folder, edition)]
    return CrateContent(folder, edition, tuple(problems), len(described))


def _graph(path: Path, folder: Path) -> list[dict[str, Any]]:
    try:
        graph = json.loads((folder / METADATA).read_text("utf-8"))["@graph"]
    except FileNotFoundError:
        raise BenchbookError(f"{path} has no {METADATA}, so it is not an RO-Crate", _MEND) from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise BenchbookError(f"{METADATA} of {path} cannot be read ({error})", _MEND) from error
    if not isinstance(graph, list) or not all(isinstance(each, dict) and "@id" in each for each in graph):
        raise BenchbookError(f"{METADATA} of {path} has no list of entities", _MEND)
    return graph


def _kinds(entity: dict[str, Any]) -> list[Any]:
    kinds = entity.get("@type")
    return kinds if isinstance(kinds, list) else [kinds]


def _files(folder: Path, described: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Each file against what the metadata says of it, and each file of which it says nothing."""
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    for name, entity in described.items():
        digest = entity.get("sha256")
        if not isinstance(digest, str):
            yield f"{name} has no SHA-256 in {METADATA}"
        elif name not in present:
            yield f"{name} is missing (SHA-256 {digest[:12]}…)"
        elif files.sha256(folder / name) != digest:
            yield f"{name} was altered: SHA-256 {digest[:12]}… is expected"
    for name in sorted(present - described.keys() - {METADATA}):
        yield f"{name} is not described in {METADATA}"


def _tables(folder: Path, figures: list[dict[str, Any]]) -> Iterator[str]:
    """The files of each figure that are made from its record; a static drawing has its hash in the metadata alone."""
    for figure in figures:
        for path, content in contents.of_figure(folder, figure).items():
            now = folder / path
            if now.is_file() and isinstance(content, bytes) and files.sha256(now) != sha256(content).hexdigest():
                yield f"{path} is not what the record of the figure {figure['id']} gives"


def _list_runs(folder: Path, edition: dict[str, Any]) -> list[str]:
    """Let runs be listed as the edition has them, which older crates do not do; what is listed otherwise is named."""
    path, listed = folder / contents.SUMS, contents.listed(edition)
    other = path.is_file() and path.read_bytes() != listed.encode()
    if other or not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write_text(path, listed)
    return [f"{contents.SUMS} does not list what the edition has"] if other else []


def _actions(edition: dict[str, Any], graph: list[dict[str, Any]]) -> Iterator[str]:
    """Every run of the edition is described as what made its files."""
    actions = {each["@id"]: each for each in graph if "CreateAction" in _kinds(each)}
    for run in edition["runs"]:
        action = actions.get(f"#run-{run['run_id']}", {})
        results = action.get("result")
        made = {each.get("@id") for each in results if isinstance(each, dict)} if isinstance(results, list) else set()
        for path in contents.of_run(run):
            if path not in made:
                yield f"{METADATA} does not say that the run {run['run_id']} made {path}"
