"""What is added is looked at before it is there, so that nothing stops or misleads later."""

import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sealing
from packed_runs import FIRST, PUBLISHED, SECOND, called, change, origin, pack, parameters, rows

from benchbook.reuse import foreign
from benchbook.store import schema


def refused(benchbook: Any, path: Path, words: str) -> None:
    result = benchbook("add", str(path))
    assert result.exit_code in {1, 6}, result.stdout + result.stderr
    assert words in result.stderr
    assert "unforeseen" not in result.stderr
    assert "\x1b" not in result.stderr
    assert not foreign.entries()
    assert not [each for each in foreign.folder().rglob("*") if each.is_file()]


def test_an_id_that_is_published_with_other_content_is_refused(given: Path, benchbook: Any, tmp_path: Path) -> None:
    other = shutil.copytree(PUBLISHED / SECOND, tmp_path / "theirs" / "lru" / SECOND)
    origin(other, cores=7)
    refused(benchbook, pack(other), f"run {SECOND} is published here with other content")
    whole = pack(shutil.copytree(PUBLISHED / SECOND, tmp_path / "copy" / "lru" / SECOND))
    assert "was published already" in benchbook("add", str(whole), code=1).stderr


def in_heads(local: int, listed: int, change: Callable[[int], int]) -> Callable[[bytearray], None]:
    """Change a byte of each file's own head and of its place in the list."""

    def spoil(content: bytearray) -> None:
        for mark, place in ((b"PK\x03\x04", local), (b"PK\x01\x02", listed)):
            at = content.find(mark)
            while at >= 0:
                content[at + place] = change(content[at + place])
                at = content.find(mark, at + 4)

    return spoil


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (in_heads(6, 8, lambda flags: flags | 1), "it is encrypted"),
        (in_heads(8, 10, lambda _: 97), "compressed in another way"),
        (lambda content: content.__setitem__(slice(2_000, 2_400), b"\xff" * 400), "is no pack of a run"),
        (lambda content: content.__delitem__(slice(len(content) // 2, None)), "not whole"),
        (lambda content: content.extend(b"more"), "not whole"),
        (lambda content: content.clear(), "not whole"),
        (lambda content: content.__setitem__(slice(-12, -10), b"\xff\xff"), "it holds other files"),
        (lambda content: content.__setitem__(slice(-10, -6), b"\xff\xff\xff\x7f"), "is no pack of a run"),
    ],
    ids=["encrypted", "odd method", "corrupt", "half", "with an end", "empty", "65,535 names", "a list beyond its end"],
)
def test_an_archive_that_cannot_be_read_is_one_clear_error(
    given: Path, benchbook: Any, theirs: Path, change: Any, words: str
) -> None:
    path = pack(theirs)
    content = bytearray(path.read_bytes())
    change(content)
    path.write_bytes(content)
    refused(benchbook, path, words)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused(given: Path, benchbook: Any, theirs: Path, method: int) -> None:
    refused(benchbook, pack(theirs, method=method), "compressed in another way")


@pytest.mark.parametrize("kind", ["pipe", "device", "link", "folder", "huge"])
def test_what_is_no_file_is_not_waited_for(given: Path, benchbook: Any, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.zip"
    {
        "pipe": lambda: os.mkfifo(path),
        "device": lambda: path.symlink_to("/dev/zero"),
        "link": lambda: path.symlink_to(tmp_path / "y.zip"),
        "folder": path.mkdir,
        "huge": lambda: (path.touch(), os.truncate(path, 2**40)),
    }[kind]()
    refused(benchbook, path, "no pack of a run")
    if kind == "device":
        refused(benchbook, Path("/dev/zero"), "a device")


def stuffed(folder: Path) -> None:
    """A table whose dictionary holds 480 MB that no row uses, in some kB."""
    texts = pa.array([f"{number:05}{'x' * 9_600}" for number in range(50_000)])
    table = pq.read_table(folder / schema.TRIALS)
    codes = pa.DictionaryArray.from_arrays(pa.array(np.zeros(len(table), np.int32)), texts)
    pq.write_table(
        table.append_column("stuffed", codes), folder / schema.TRIALS, compression="zstd",
        dictionary_pagesize_limit=2**31 - 1,
    )  # fmt: skip
    sealing.reseal(folder)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda folder: parameters(folder, warp=9), "unknown parameter 'warp'"),
        (lambda folder: parameters(folder, blocks=10_000), "its parameters are none of lru"),
        (lambda folder: parameters(folder, zipf_exponent=0.8), "its key is"),
        (lambda folder: sealing.rewrite(folder, **{"x\x1b[31m": 1}), "x\\x1b[31m"),
        (lambda folder: sealing.rewrite(folder, measurement_version=99), "of version 99 of its measurement"),
        (lambda folder: sealing.rewrite(folder, blocks=999), "is refused"),
        (rows(15_000_000), "more than a run that is passed on may have"),
        (lambda folder: change(folder, schema.TRIALS, lambda t: pd.concat([t] * 50)), "its plan has"),
        (lambda folder: change(folder, schema.TRIALS, lambda t: t.assign(engine="\x1b]0;pwned\x07")), "has the text"),
        (lambda folder: change(folder, schema.TRIALS, lambda t: t.assign(engine="x" * 20_000)), "a text of 20,000"),
        (lambda folder: change(folder, schema.TRIALS, lambda t: t.assign(kept_p50_ns=1.0)), "is refused"),
        (lambda folder: change(folder, schema.TRIALS, lambda t: t.assign(nested=[[1]] * len(t))), "no column of"),
        (stuffed, "bytes, more than a run that is passed on may have"),
    ],
    ids=["unknown parameter", "bound", "another key", "escape in a field", "version", "blocks", "endless samples",
         "more trials", "escape in a label", "long label", "metrics", "nested", "stuffed"],
)  # fmt: skip
def test_what_would_stop_or_mislead_later_is_refused_when_it_is_added(
    given: Path, benchbook: Any, theirs: Path, spoil: Any, words: str
) -> None:
    spoil(theirs)
    path = pack(theirs)
    refused(benchbook, path, words)
    assert str(path) in benchbook("add", str(path)).stderr


def test_an_id_is_one_that_a_run_is_given(given: Path, benchbook: Any, theirs: Path) -> None:
    key = FIRST.partition("-")[0]
    for identity in (key, f"{key}-x", f"{key}-20261126T084926x", f"{'0' * 12}-20261126T084926"):
        refused(benchbook, pack(called(theirs, identity)), "its id is none that a run is given")


def test_a_folder_of_foreign_runs_that_is_a_link_takes_nothing_in(given: Path, benchbook: Any, theirs: Path) -> None:
    path = pack(theirs)
    (given / "foreign").mkdir()
    (given / "foreign" / "lru").symlink_to(given / "data" / "published" / "lru")
    assert "is a link" in benchbook("add", str(path)).stderr
    assert [each.name for each in (given / "data/published/lru").iterdir()] == [SECOND]
    assert not foreign.entries()
    shutil.rmtree(given / "foreign")
    (given / "foreign").symlink_to(given / "runs")
    assert "is a link" in benchbook("add", str(path)).stderr


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda members: [(name, content[:-1]) for name, content in members], "damaged: run.json"),
        (
            lambda members: [(name, content.replace(b'"blocks":', b'"blocks":1')) for name, content in members],
            "damaged: run.json",
        ),
        (lambda members: members[:-1], "it holds other files"),
        (lambda members: [*members, ("lru/x/more", b"")], "it holds other files"),
        (lambda members: [], "it holds other files"),
        *(
            (lambda members, to=to: [(f"{to}{name.rpartition('/')[2]}", each) for name, each in members], "other files")
            for to in ("lru/é/", "lru/x\\y/", "lru/../", "C:/x/", "/lru/x/", "../lru/x/")
        ),
    ],
)
def test_a_changed_pack_is_refused_whole(given: Path, benchbook: Any, theirs: Path, change: Any, words: str) -> None:
    path = pack(theirs)
    with zipfile.ZipFile(path) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in change(members):
            archive.writestr(name, content)
    refused(benchbook, path, words)
    benchbook("add", str(path), code=6 if "damaged" in words else 1)
