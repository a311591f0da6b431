"""Whatever moment a write is cut off at, the old content or the new one is there, whole."""

import errno
import os
import stat
import tempfile
from pathlib import Path
from typing import Any, NoReturn

import pytest

from benchbook.errors import MachineError
from benchbook.store import atomic


class PowerCut(BaseException):
    """Nothing that the code could catch by accident."""


def cut(*_: Any, **__: Any) -> NoReturn:
    raise PowerCut


def full(*_: Any, **__: Any) -> NoReturn:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that is to be replaced."""
    (tmp_path / "run.json").write_text("old")
    return tmp_path / "run.json"


def new(temporary: Path) -> None:
    temporary.write_text("new")


@pytest.mark.parametrize(
    ("owner", "name"), [(os, "fsync"), (Path, "chmod"), (Path, "replace"), (tempfile, "mkstemp"), (os, "close")]
)
def test_a_cut_before_the_rename_leaves_the_old_content(
    path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, name: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, cut)
        with pytest.raises(PowerCut):
            atomic.write(path, new)
    assert path.read_text() == "old"


def test_a_cut_while_the_content_is_written_leaves_the_old_content(path: Path) -> None:
    def half(temporary: Path) -> None:
        temporary.write_text("ne")
        raise PowerCut

    with pytest.raises(PowerCut):
        atomic.write(path, half)
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path], "the temporary file is gone"


def test_a_cut_after_the_rename_leaves_the_new_content(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic, "sync_folder", cut)
    with pytest.raises(PowerCut):
        atomic.write(path, new)
    assert path.read_text() == "new"


@pytest.mark.parametrize(("owner", "name"), [(os, "fsync"), (Path, "replace"), (tempfile, "mkstemp")])
def test_a_full_disk_is_one_error_with_a_mend_and_leaves_the_old_content(
    path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, name: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, full)
        with pytest.raises(MachineError, match="No space left on device") as caught:
            atomic.write(path, new)
    assert str(path) in caught.value.problem
    assert "free disk space" in caught.value.mend
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


def test_content_is_durable_before_the_rename_and_the_rename_before_returning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def watched_fsync(descriptor: int) -> None:
        steps.append("folder" if Path(f"/proc/self/fd/{descriptor}").resolve() == tmp_path.resolve() else "file")
        fsync(descriptor)

    def watched_replace(self: Path, target: Path) -> Path:
        steps.append("rename")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(Path, "replace", watched_replace)
    atomic.write(tmp_path / "x", new)
    assert steps == ["file", "rename", "folder"]


def test_what_is_no_json_is_refused_and_leaves_the_old_content(path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        atomic.write_json(path, {"p50_ns": float("nan")})
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    ("umask", "file", "folder"), [(0o000, 0o644, 0o755), (0o022, 0o644, 0o755), (0o077, 0o600, 0o700)]
)
def test_nobody_but_the_owner_may_write_whatever_the_umask_and_a_narrower_one_holds(
    tmp_path: Path, umask: int, file: int, folder: int
) -> None:
    before = os.umask(umask)
    try:
        atomic.make_folder(tmp_path / "a" / "b")
        atomic.write(tmp_path / "a" / "b" / "run.json", new)
        assert os.umask(umask) == umask, "it is as it was"
    finally:
        os.umask(before)
    made = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert made == {"a": folder, "b": folder, "run.json": file}
