"""Write a frozen edition as an RO-Crate: one zip file, the same to the last byte whenever it is made again.

The files lie in it as in a clone, so that an unpacked crate is a project folder of its own.
"""

from datetime import datetime
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from benchbook import nofollow, temporary
from benchbook.book.crate import contents, description
from benchbook.book.records import editions
from benchbook.errors import BenchbookError, StoredRunError
from benchbook.store import atomic, outputs, schema


def write(root: Path, name: str, out: Path) -> list[str]:
    """Write the crate of the edition ``name`` to ``out``; returns the ids of the figures without static drawings.

    Raises BenchbookError when there is no such edition, when a part of it is missing or altered (the first is named
    with its hash), and when ``out`` exists, ends otherwise than in .zip, or lies in no folder.
    """
    _check(out)
    edition, figures = editions.read(root, name), editions.figures(root, name)
    if problems := editions.problems(root, name):
        more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
        raise StoredRunError(
            f"the edition {name} is not complete: {problems[0]}{more}",
            f"see `benchbook edition check {name}`; restore what it names with `git checkout`",
        )
    parts = contents.all_files(root, edition, figures)
    with temporary.folder("crate") as made:
        folder = made / "content"  # beside its owner's lock, which is not a part of a crate
        folder.mkdir()
        for part in parts:
            path, content = folder / part.path, part.content
            with atomic.told_as_machine_error(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                if not isinstance(content, bytes):
                    content = nofollow.content(content, schema.MOST_TABLE_BYTES)
                path.write_bytes(content)
        crate: Any = description.describe(folder, edition, figures, parts)
        crate.metadata.write(folder)
        moment = datetime.fromisoformat(edition["created"])
        atomic.write(out, lambda temporary: _pack(folder, temporary, moment))
    drawn = {part.path for part in parts}
    return [each["id"] for each in figures if f"{contents.FIGURES}/{each['id']}.svg" not in drawn]


def _check(out: Path) -> None:
    if out.suffix != ".zip":
        raise BenchbookError(f"{out} does not end in .zip", "name a zip file, such as edition.zip")
    if outputs.kind(out) is not outputs.Kind.ABSENT:
        raise BenchbookError(f"{out} exists", "name another file, or remove this one")


def _pack(folder: Path, out: Path, moment: datetime) -> None:
    """All files in the order of their names, dated by ``moment``: nothing of this machine or hour goes in."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    with ZipFile(out, "w") as archive:
        for name in names:
            entry = ZipInfo(name, moment.timetuple()[:6])
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, (folder / name).read_bytes())
