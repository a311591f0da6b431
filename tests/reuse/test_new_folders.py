"""A new folder of results appears whole or not at all, and nothing that somebody else put beside it goes."""

import os
import pwd
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchbook.errors import BenchbookError, MachineError
from benchbook.reuse import trial_project
from benchbook.store import atomic

NOTE = "# A note\n\nIt takes 5 ms.\n"


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder in which every account may write, with a note and with what is somebody else's and ours."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    (folder / "note9.md").write_text(NOTE)
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "_config.yml").write_text("mine")
    return folder


def make(folder: Path) -> str:
    return trial_project.new(folder / "note9.md", trial_project.source("features", None), folder / "note9")


def fill(target: Path, within: Callable[[Path], object]) -> None:
    with atomic.new_folder(target) as making:
        (making / "_config.yml").write_text("ours")
        within(making)


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


def test_a_planted_link_is_not_followed_and_a_planted_folder_stays(shared: Path) -> None:
    link, folder = shared / ".note9.new", shared / ".other9.new"
    link.symlink_to(shared.parent / "precious")
    folder.mkdir()
    (folder / "theirs").write_text("theirs")
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.lchown(link, nobody.pw_uid, nobody.pw_gid)
    assert make(shared) == "note9"
    assert (shared.parent / "precious" / "_config.yml").read_text() == "mine"
    assert link.is_symlink()
    assert names(shared.parent / "precious") == {"_config.yml"}
    (shared / "other9.md").write_text(NOTE)
    trial_project.new(shared / "other9.md", trial_project.source("features", None), shared / "other9")
    assert (folder / "theirs").read_text() == "theirs"
    made = shared / "note9"
    assert (made / "_config.yml").is_file()
    assert stat.S_IMODE(made.stat().st_mode) == 0o755 & ~umask()
    assert names(shared) == {".note9.new", ".other9.new", "note9", "note9.md", "other9", "other9.md"}


def umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("kind", ["link to nothing", "link", "file", "empty folder", "pipe"])
def test_whatever_is_there_is_refused_and_stays(shared: Path, kind: str) -> None:
    target = shared / "note9"
    made: dict[str, Callable[[], Any]] = {
        "link to nothing": lambda: target.symlink_to("nowhere"),
        "link": lambda: target.symlink_to(shared.parent / "precious"),
        "file": lambda: target.write_text("mine"),
        "empty folder": target.mkdir,
        "pipe": lambda: os.mkfifo(target),
    }
    made[kind]()
    before = target.lstat()
    with pytest.raises(BenchbookError, match="exists already"):
        make(shared)
    assert os.path.samestat(before, target.lstat())
    assert names(shared) == {"note9", "note9.md"}
    assert names(shared.parent / "precious") == {"_config.yml"}


@pytest.mark.parametrize("kind", ["link to nothing", "link", "file", "full folder"])
def test_what_comes_while_it_is_filled_is_not_replaced(shared: Path, kind: str) -> None:
    target = shared / "out"

    def come(making: Path) -> None:
        if kind == "full folder":
            target.mkdir()
            (target / "theirs").write_text("theirs")
        elif kind == "file":
            target.write_text("theirs")
        else:
            target.symlink_to(shared.parent / "precious" if kind == "link" else "nowhere")

    with pytest.raises(BenchbookError):
        fill(target, come)
    assert (target / "_config.yml").exists() == (kind == "link"), "of the link's own target"
    assert names(shared) == {"out", "note9.md"}
    assert names(shared.parent / "precious") == {"_config.yml"}


def test_what_is_filled_is_reached_without_its_name(shared: Path) -> None:
    """Another account that may rename it puts a link there; what is written still goes where it went."""
    shared.chmod(0o777)

    def exchange(making: Path) -> None:
        [made] = [each for each in shared.iterdir() if each.name.startswith(".out.")]
        made.rename(shared / "moved")
        made.symlink_to(shared.parent / "precious")
        (making / "_config.yml").write_text("overwritten")

    with pytest.raises(MachineError, match="could not be written"):
        fill(shared / "out", exchange)
    assert (shared.parent / "precious" / "_config.yml").read_text() == "mine"
    assert names(shared.parent / "precious") == {"_config.yml"}


def test_an_error_leaves_nothing(shared: Path) -> None:
    with pytest.raises(MachineError):
        fill(shared / "out", lambda making: (making / "none").read_text())
    assert names(shared) == {"note9.md"}
    with pytest.raises(MachineError, match="could not be written"):
        fill(shared / "none" / "out", names)


@pytest.mark.parametrize("kind", ["pipe", "link", "device"])
def test_a_note_is_a_file(shared: Path, kind: str) -> None:
    note = shared / "odd9.md"
    if kind == "pipe":
        os.mkfifo(note)
    else:
        note.symlink_to("/dev/zero" if kind == "device" else shared / "note9.md")
    with pytest.raises(BenchbookError, match="only a regular file"):
        trial_project.new(note, trial_project.source("features", None), shared / "odd9")
    assert not (shared / "odd9").exists()
