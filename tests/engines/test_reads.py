"""Bytes that a process has read from the device, counted at every read, and files read into the OS cache by page."""

import mmap
import os
from pathlib import Path

import pytest

from benchbook import files
from benchbook.engines import folios
from benchbook.engines.postgres import device


def test_every_direct_read_is_counted_and_no_cached_one(home: Path) -> None:
    scratch = files.scratch()
    if not files.direct_reads(scratch) or not Path("/proc/self/io").exists():
        pytest.skip("no direct reads here, or nobody counts them")
    path = scratch / "read"
    path.write_bytes(os.urandom(8 * 8192))
    os.sync()
    direct, plain = os.open(path, os.O_RDONLY | os.O_DIRECT), os.open(path, os.O_RDONLY)
    try:
        with device.reads_of(os.getpid()) as read_bytes, mmap.mmap(-1, 8192) as buffer:
            os.pread(plain, 8192, 0)
            for number in range(1, 6):
                before = read_bytes()
                os.preadv(direct, [buffer], 8192 * number)
                assert read_bytes() - before == 8192
            before = read_bytes()
            os.pread(plain, 8192, 0)
            assert read_bytes() == before
    finally:
        os.close(direct)
        os.close(plain)
        path.unlink()


def test_a_process_that_cannot_be_asked_is_not_counted() -> None:
    with device.reads_of(2**22 + 1) as read_bytes:
        assert read_bytes is None


def test_every_part_of_a_relation_is_cached_and_unchanged(tmp_path: Path) -> None:
    content = bytes(range(256)) * 512
    for name in ("16384", "16384.1", "16385"):
        (tmp_path / name).write_bytes(content)
    folios.read_in_pages([(0, tmp_path / "16384")])
    for name in ("16384", "16384.1"):
        assert files.cached_pages(tmp_path / name).all()
        assert (tmp_path / name).read_bytes() == content


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"x" * 8192)
    (tmp_path / "16384").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="16384"):
        folios.read_in_pages([(0, tmp_path / "16384")])
