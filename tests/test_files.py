"""Files as the kernel sees them: what is cached, what evicting does, where direct reads are possible."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchbook import files
from benchbook.errors import MachineError

ON_DISK = files.filesystem(Path("/var/tmp")) not in {"tmpfs", "ramfs"}
on_disk = pytest.mark.skipif(not ON_DISK, reason="/var/tmp is in memory here: nothing can be evicted from it")
SHARED_MEMORY = Path("/dev/shm")


@pytest.fixture
def disk() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="benchbook-test-") as folder:
        yield Path(folder)


@on_disk
def test_a_written_file_is_cached_until_it_is_evicted_and_again_when_it_is_read(disk: Path) -> None:
    path, other = disk / "below" / "file", disk / "other"
    path.parent.mkdir()
    content = os.urandom(64 * files.PAGE_BYTES + 100)
    path.write_bytes(content)
    other.write_bytes(content)
    assert files.cached_pages(path).tolist() == [True] * 65
    files.evict(path.parent)
    assert not files.cached_pages(path).any()
    assert files.cached_pages(other).all(), "what lies elsewhere stays"
    assert path.read_bytes() == content, "what was not yet on the disk was written first"
    assert files.cached_pages(path).all()


@on_disk
def test_a_single_page_that_was_read_is_told_from_its_neighbours(disk: Path) -> None:
    path = disk / "file"
    path.write_bytes(bytes(256 * files.PAGE_BYTES))
    files.evict(disk)
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        os.pread(file.fileno(), 1, 100 * files.PAGE_BYTES)
    cached = files.cached_pages(path)
    assert cached[100]
    assert cached.sum() < 256


@on_disk
def test_evicting_passes_over_links_and_empty_files(disk: Path) -> None:
    outside = disk / "outside"
    outside.write_bytes(bytes(files.PAGE_BYTES))
    inside = disk / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(outside)
    (inside / "broken").symlink_to(disk / "nowhere")
    (inside / "empty").touch()
    files.evict(inside)
    assert files.cached_pages(outside).all()
    assert files.cached_pages(inside / "empty").shape == (0,)


@pytest.mark.skipif(files.filesystem(SHARED_MEMORY) != "tmpfs", reason="no memory file system at /dev/shm")
def test_reads_of_a_memory_file_system_are_never_called_direct() -> None:
    assert not files.direct_reads(SHARED_MEMORY)
    with files.direct_reader(SHARED_MEMORY, file_mib=1) as read:
        assert read is None


@on_disk
def test_direct_reads_are_timed_one_by_one(disk: Path) -> None:
    if not files.direct_reads(disk):
        pytest.skip("this disk allows no direct reads")
    with files.direct_reader(disk, file_mib=1) as read:
        assert read is not None
        latencies = read(20)
    assert latencies.shape == (20,)
    assert latencies.dtype == np.int64
    assert (latencies > 0).all()
    assert list(disk.iterdir()) == [], "the file that was read is gone"


def test_too_little_disk_is_said_with_what_there_is(home: Path) -> None:
    with pytest.raises(MachineError, match=r"needs .* GiB of disk \(.* GiB free\).*; .*BENCHBOOK_SCRATCH"):
        files.scratch(2**60)


def test_a_scratch_folder_that_does_not_exist_is_no_place(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHBOOK_SCRATCH", str(home / "nowhere"))
    with pytest.raises(MachineError, match="is not a folder that can be written"):
        files.scratch(1)
