"""Where the user said: a stream is written into, a link followed, a file never lost unasked, the odd refused."""

import io
import os
import socket
import stat
import threading
from pathlib import Path

import pytest

from benchbook.errors import BenchbookError, MachineError
from benchbook.store import outputs

NULL, FULL, ABSENT_DISK = (1, 3), (1, 7), (7, 250)


def put(out: Path, content: bytes = b"new\n", *, force: bool = False) -> bytes:
    """Write; what went to standard output."""
    printed = io.BytesIO()
    outputs.write(out, content, printed, force=force)
    return printed.getvalue()


def node(path: Path, kind: int, numbers: tuple[int, int]) -> Path:
    """A device of the test's own; the machine's are not touched."""
    try:
        os.mknod(path, kind | 0o600, os.makedev(*numbers))
        if kind == stat.S_IFCHR:
            os.close(os.open(path, os.O_WRONLY))
    except OSError as error:
        pytest.skip(f"a device cannot be made and opened here: {error.strerror}; needs root and a disk with devices")
    return path


def test_a_new_file_is_made(tmp_path: Path) -> None:
    assert put(tmp_path / "a.csv") == b""
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"new\n"]


def test_a_file_that_differs_stays_without_force(tmp_path: Path) -> None:
    out = tmp_path / "mine.csv"
    out.write_text("mine")
    with pytest.raises(BenchbookError, match="exists and differs") as caught:
        put(out)
    assert "--force" in caught.value.mend
    assert out.read_text() == "mine"
    put(out, force=True)
    assert out.read_bytes() == b"new\n"


def test_the_same_output_again_needs_no_force_and_changes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "a.csv"
    put(out)
    before = out.stat()
    put(out)
    after = out.stat()
    # Not when it was last read: comparing reads it.
    assert (after.st_ino, after.st_mtime_ns, after.st_size) == (before.st_ino, before.st_mtime_ns, before.st_size)


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link, second = tmp_path / "folder" / "a.csv", tmp_path / "link", tmp_path / "second"
    link.symlink_to("folder/a.csv")
    second.symlink_to("link")
    put(second)
    assert target.read_bytes() == b"new\n"
    target.write_text("mine")
    with pytest.raises(BenchbookError, match="differs from"):
        put(second)
    put(second, force=True)
    assert target.read_bytes() == b"new\n"
    assert link.is_symlink()
    assert second.is_symlink()
    assert not target.is_symlink()


def test_links_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    (tmp_path / "round").symlink_to("round")
    (tmp_path / "astray").symlink_to("absent/a.csv")
    with pytest.raises(BenchbookError, match="symbolic links"):
        put(tmp_path / "round", force=True)
    with pytest.raises(BenchbookError, match="is not a folder"):
        put(tmp_path / "astray", force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["astray", "round"]


@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_gets_the_content_and_stays_a_pipe(tmp_path: Path, linked: bool) -> None:
    pipe, out = tmp_path / "pipe", tmp_path / "out"
    os.mkfifo(pipe)
    out.symlink_to(pipe) if linked else pipe.rename(out)
    content = b"0123456789" * 50_000  # more than a pipe holds
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(out.read_bytes()))
    reader.start()
    put(out, content)
    reader.join()
    assert read == [content]
    assert stat.S_ISFIFO(out.stat().st_mode)
    assert not [path for path in tmp_path.iterdir() if path.is_file()]


def test_a_pipe_whose_reader_went_away_is_no_fault_of_the_disk(tmp_path: Path) -> None:
    out = tmp_path / "pipe"
    os.mkfifo(out)
    reader = threading.Thread(target=lambda: out.open("rb", buffering=0).read(1))
    reader.start()
    with pytest.raises(BrokenPipeError):
        put(out, b"x" * 1_000_000)
    reader.join()
    assert stat.S_ISFIFO(out.stat().st_mode)


def test_standard_output_gets_the_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert put(Path("-"), b"\x89PNG\r\n") == b"\x89PNG\r\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.faults
@pytest.mark.parametrize("linked", [False, True])
def test_a_character_device_is_written_into_and_stays_one(tmp_path: Path, linked: bool) -> None:
    device = node(tmp_path / "null", stat.S_IFCHR, NULL)
    out = tmp_path / "out"
    out.symlink_to(device) if linked else device.rename(out)
    before = out.stat()
    put(out)
    put(out, force=True)
    now = out.stat()
    assert stat.S_ISCHR(now.st_mode)
    assert (now.st_ino, now.st_rdev, now.st_mode) == (before.st_ino, before.st_rdev, before.st_mode)


@pytest.mark.faults
def test_a_device_that_is_full_says_so(tmp_path: Path) -> None:
    out = node(tmp_path / "full", stat.S_IFCHR, FULL)
    with pytest.raises(MachineError, match="No space left on device"):
        put(out)
    assert stat.S_ISCHR(out.stat().st_mode)


@pytest.mark.faults
def test_a_block_device_is_refused(tmp_path: Path) -> None:
    out = node(tmp_path / "disk", stat.S_IFBLK, ABSENT_DISK)  # behind these numbers there is no disk
    with pytest.raises(BenchbookError, match="is a block device"):
        put(out, force=True)
    assert stat.S_ISBLK(out.lstat().st_mode)


def test_folders_and_sockets_are_refused_even_with_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path is short
    Path("folder").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for name, words in (("folder", "is a folder"), ("socket", "is a socket"), ("no/a.csv", "is not a folder")):
            with pytest.raises(BenchbookError, match=words):
                put(Path(name), force=True)
    assert sorted(path.name for path in Path().iterdir()) == ["folder", "socket"]


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchbookError, match="File name too long"):
        put(tmp_path / ("n" * 300), force=True)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(BenchbookError, match="Not a directory"):
        put(tmp_path / "file" / "a.csv", force=True)
