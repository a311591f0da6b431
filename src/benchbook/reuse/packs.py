"""One run as one zip file: written the same each time, read as far as it is what was written here."""

import io
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from benchbook import nofollow
from benchbook.errors import BenchbookError, StoredRunError, printable
from benchbook.store import Entry, check_files, schema

FILES = (schema.RUN, schema.TRIALS, schema.SAMPLES)
MOST_BYTES, MOST_RECORD = 64 << 20, 16 << 20
"""Of a pack and of a table in it, and of its record; a run of an hour has some MB."""
_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")
"""A part of a name in a pack."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
_END, _LARGE_END = b"PK\x05\x06", b"PK\x06\x07"
"""How the last 22 bytes of a zip file without a comment begin, and the 20 before them of one with 64-bit sizes."""
_TORN = (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, zlib.error, lzma.LZMAError)
_MEND = "give a file that `benchbook pack` wrote"


@dataclass(frozen=True)
class Pack:
    """An open pack, whose names were checked."""

    path: Path
    experiment: str
    id: str
    archive: zipfile.ZipFile

    def unpack(self, folder: Path) -> None:
        """Write its files into a folder of ours; raises BenchbookError where the pack is torn, OSError of the disk."""
        for name in FILES:
            with (folder / name).open("xb") as target:
                for part in self._parts(f"{self.experiment}/{self.id}/{name}"):
                    target.write(part)

    def _parts(self, name: str) -> Iterator[bytes]:
        left = MOST_RECORD if name.endswith(schema.RUN) else MOST_BYTES
        with _told(self.path), self.archive.open(name) as member:
            while part := member.read(1 << 20):
                left -= len(part)
                if left < 0:
                    raise zipfile.BadZipFile("it is larger than it says")
                yield part


def packed(entry: Entry) -> bytes:
    """A complete run as one zip file, the same bytes each time.

    Raises StoredRunError for one whose tables are damaged, BenchbookError for one larger than a pack may be.
    """
    check_files(entry.folder, entry.record or {}, entry.levels)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in FILES:
            info = zipfile.ZipInfo(f"{entry.folder.parent.name}/{entry.id}/{name}", _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, nofollow.content(entry.folder / name, schema.MOST_TABLE_BYTES, entry.levels))
    if written.tell() > MOST_BYTES:
        raise BenchbookError(
            f"run {entry.id} takes {written.tell() >> 20} MiB, more than the {MOST_BYTES >> 20} that a pack may have",
            "measure with fewer blocks or requests",
        )
    return written.getvalue()


@contextmanager
def opened(path: Path) -> Iterator[Pack]:
    """A pack with the three files of one run and nothing else: none may lead elsewhere.

    Raises BenchbookError for what is no such file: a link, a pipe, a folder, another archive, one that is encrypted,
    torn, larger than any or compressed in another way.
    """
    try:
        with nofollow.reading(path, MOST_BYTES) as file:
            with _told(path):
                _check_end(file)
                archive = zipfile.ZipFile(file)
                names = _checked(archive)
            yield Pack(path, *names, archive)
    except FileNotFoundError:
        raise BenchbookError(f"there is no file {path}", "check its name") from None
    except StoredRunError as error:
        if error.problem.startswith(f"{path} "):
            raise BenchbookError(f"{error.problem}: no pack of a run", _MEND) from None
        raise


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except _TORN as error:
        raise BenchbookError(f"{path} is no pack of a run: {printable(str(error) or 'it is torn')}", _MEND) from None


def _check_end(file: BinaryIO) -> None:
    """Look at the list's length before zipfile reads the list: a file of some MB can list a million names."""
    size = os.fstat(file.fileno()).st_size
    file.seek(max(0, size - 42))
    last = file.read(42)
    if last[-22:-18] != _END or last[:4] == _LARGE_END or last[-2:] != b"\0\0":
        raise zipfile.BadZipFile("it is no zip file, or not whole")
    if int.from_bytes(last[-12:-10], "little") != len(FILES):
        raise zipfile.BadZipFile("it holds other files")


def _checked(archive: zipfile.ZipFile) -> tuple[str, str]:
    """Experiment and id by the names in the archive."""
    entries = archive.infolist()
    parts = [entry.orig_filename.split("/") for entry in entries]
    places = {tuple(each[:-1]) for each in parts}
    plain = all(len(each) == 3 and all(map(_PLAIN.fullmatch, each)) for each in parts)
    if not plain or len(places) != 1 or sorted(each[-1] for each in parts) != sorted(FILES):
        raise zipfile.BadZipFile("it holds other files")
    if any(entry.flag_bits & 1 for entry in entries):
        raise zipfile.BadZipFile("it is encrypted")
    if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries):
        raise zipfile.BadZipFile("it is compressed in another way")
    if any(entry.file_size > MOST_BYTES for entry in entries):
        raise zipfile.BadZipFile(f"it holds a file of more than {MOST_BYTES >> 20} MiB")
    [(experiment, identity)] = places
    return experiment, identity
