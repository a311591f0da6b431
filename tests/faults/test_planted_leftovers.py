"""What looks like a leftover of ours and leads elsewhere, or cannot be removed: only ours goes, what stays is said."""

import os
import pwd
import subprocess
import sys
from pathlib import Path

import parts_at_work as parts
import pytest

from benchbook import accounts, temporary
from benchbook.engines import leftovers
from benchbook.engines.storage import folders
from benchbook.engines.storage import leftovers as storage

pytestmark = pytest.mark.faults

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root could remove what is another account's")
KILLED = """
import os, sys
from benchbook import temporary
held = temporary.folder("kernel")
print(held.__enter__(), flush=True)
os.kill(os.getpid(), 9)
"""
LOOK = "from benchbook.engines import leftovers; print(leftovers.remove(print))"


@pytest.fixture
def scratch(home: Path) -> Path:
    return parts.scratch()


@pytest.fixture
def theirs(scratch: Path) -> Path:
    """A folder with something in it that is not Benchbook's."""
    folder = scratch / "theirs"
    folder.mkdir()
    (folder / "letters").write_text("kept")
    return folder


def check_kept(theirs: Path) -> None:
    assert (theirs / "letters").read_text() == "kept"


def left(scratch: Path, name: str, *, lock: bool = True) -> Path:
    """A folder whose owner is gone."""
    folder = scratch / name
    folder.mkdir()
    if lock:
        (folder / temporary.OWNER_LOCK).touch()
    return folder


def any_command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*parts.COMMAND, *words], check=False, capture_output=True, text=True)


def test_what_may_be_somebody_elses_stays(scratch: Path, theirs: Path, tmp_path: Path) -> None:
    linked = left(scratch, "benchbook-kernel-linked", lock=False)
    (tmp_path / "lock").touch()
    (linked / temporary.OWNER_LOCK).symlink_to(tmp_path / "lock")
    (theirs / temporary.OWNER_LOCK).touch()
    link = scratch / "benchbook-kernel-link"
    link.symlink_to(theirs)
    young, old = (left(scratch, f"benchbook-kernel-{name}", lock=False) for name in ("young", "old"))
    os.utime(old, (0, 0))
    stay = [linked, young, left(scratch, "benchbook-unknown-kind"), left(scratch, "something-else")]
    go = [left(scratch, "benchbook-kernel-owned"), old]
    assert sorted(leftovers.remove()) == sorted(go)
    assert all(folder.is_dir() for folder in stay)
    assert link.is_symlink()
    check_kept(theirs)
    assert not [folder for folder in go if folder.exists()]


@pytest.mark.parametrize("way", ["the scratch folder", "a link to it"])
def test_a_link_that_is_named_as_a_volumes_folder_leads_nobody_to_what_lies_behind(
    scratch: Path, theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    ours = left(scratch, f"{folders.PREFIX}ours")
    (ours / folders.MOUNT).mkdir()
    for name in (temporary.OWNER_LOCK, folders.IMAGE):
        (theirs / name).touch()
    link = scratch / f"{folders.PREFIX}link"
    link.symlink_to(theirs)
    if way == "a link to it":
        (tmp_path / "linked").symlink_to(scratch)
        monkeypatch.setenv("BENCHBOOK_SCRATCH", str(tmp_path / "linked"))
    [said] = storage.remove()
    assert "removed" in said
    assert not ours.exists()
    assert leftovers.remove() == []
    check_kept(theirs)
    assert (theirs / folders.IMAGE).exists()
    assert link.is_symlink()


def test_what_somebody_put_beside_a_volume_stays_and_is_said(scratch: Path) -> None:
    folder = left(scratch, f"{folders.PREFIX}both")
    (folder / folders.MOUNT).mkdir()
    (folder / folders.IMAGE).write_bytes(bytes(4096))
    (folder / "letters").write_text("kept")
    [said] = storage.remove()
    assert "holds something that is not ours" in said
    check_kept(folder)
    assert not (folder / folders.IMAGE).exists()


def test_a_folder_named_so_that_holds_something_else_or_a_linked_image_stays(scratch: Path, theirs: Path) -> None:
    folder, linked = (left(scratch, f"{folders.PREFIX}{name}") for name in ("letters", "linked"))
    (folder / "letters").write_text("kept")
    (linked / folders.IMAGE).symlink_to(theirs / "letters")
    assert storage.remove() == []
    assert (linked / folders.IMAGE).is_symlink()
    for each in (folder, theirs):
        check_kept(each)


@pytest.mark.parametrize("name", ["benchbook-pg-left", f"{folders.PREFIX}left"])
@pytest.mark.parametrize("place", [temporary.OWNER_LOCK, folders.NOTE, "data/postmaster.pid", "pipe"])
def test_a_pipe_in_a_leftover_holds_no_command_up(scratch: Path, name: str, place: str) -> None:
    folder = left(scratch, name, lock=place != temporary.OWNER_LOCK)
    (folder / place).parent.mkdir(exist_ok=True)
    os.mkfifo(folder / place)
    done = subprocess.run([sys.executable, "-c", LOOK], check=True, timeout=120, capture_output=True, text=True)
    gone = place != temporary.OWNER_LOCK and (name == "benchbook-pg-left" or place == folders.NOTE)
    assert folder.exists() != gone, done.stdout


@pytest.mark.parametrize("how", ["link", "folder"])
def test_a_leftover_that_is_exchanged_before_it_is_removed_saves_what_took_its_place(
    scratch: Path, theirs: Path, how: str
) -> None:
    folder, aside = left(scratch, "benchbook-kernel-left"), scratch / "aside"
    (folder / "ours").touch()

    def exchange(found: Path) -> None:
        found.rename(aside)
        found.symlink_to(theirs) if how == "link" else theirs.rename(found)

    failed: list[Path] = []
    assert temporary.remove_leftovers(exchange, lambda found, why: failed.append(found)) == []
    assert failed == [folder]
    check_kept(folder)
    assert list(aside.iterdir()) == [], "what was ours is emptied, wherever it is now"


def test_what_cannot_be_removed_is_said_at_once_and_holds_nothing_up(
    scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = left(scratch, "benchbook-kernel-left")
    (folder / "fixed").touch()
    if subprocess.run(["chattr", "+i", folder / "fixed"], check=False, capture_output=True).returncode:
        pytest.skip("no file can be made immutable here")
    waited: list[float] = []
    said: list[str] = []
    monkeypatch.setattr(temporary.time, "sleep", waited.append)
    try:
        for _ in range(2):
            assert leftovers.remove(said.append) == []
    finally:
        subprocess.run(["chattr", "-i", folder / "fixed"], check=True)
    assert waited == []
    assert said == [f"{folder}, which a killed run left, cannot be removed (Operation not permitted)"] * 2
    assert leftovers.remove() == [folder]


@AS_ROOT
def test_root_leaves_what_another_account_left(scratch: Path) -> None:
    def others(name: str) -> Path:
        folder = left(scratch, name)
        (folder / "ours").touch()
        for each in (folder, *folder.iterdir()):
            os.chown(each, 12345, 12345)
        return folder

    made = [others("benchbook-kernel-others"), others("benchbook-pg-others"), others(f"{folders.PREFIX}others")]
    moved = [left(scratch, f"benchbook-{kind}-moved") for kind in ("pg", "kernel")]  # with a lock of root's
    lock = left(scratch, "benchbook-kernel-lock")
    for each in (*moved, lock / temporary.OWNER_LOCK):
        os.chown(each, 12345, 12345)
    assert leftovers.remove() == []
    assert all((folder / "ours").exists() for folder in made)
    assert all(folder.is_dir() for folder in (*moved, lock))


@AS_ROOT
@pytest.mark.parametrize("name", [*accounts.SHARED, "root"])
def test_root_removes_what_its_own_killed_runs_left_also_those_of_earlier_releases(scratch: Path, name: str) -> None:
    """The whole folder belonged to the server's account then, but for the lock, which is root's."""
    try:
        account = pwd.getpwnam(name)
    except KeyError:
        pytest.skip(f"no account {name}")
    folder = left(scratch, "benchbook-pg-left")
    (folder / "data").mkdir()
    (folder / "data" / "file").touch()
    for each in (folder, folder / "data", folder / "data" / "file"):
        os.chown(each, account.pw_uid, account.pw_gid)
    assert leftovers.remove() == [folder]
    assert not folder.exists()


@AS_ROOT
def test_root_says_in_one_line_what_it_removed_unless_told_to_be_quiet(scratch: Path) -> None:
    def killed() -> Path:
        done = subprocess.run([sys.executable, "-c", KILLED], check=False, capture_output=True, text=True)
        return Path(done.stdout.strip())

    folder = killed()
    assert folder.is_dir()
    done = any_command("list")
    assert done.stderr == f"removed what killed runs left: {folder}\n"
    assert any_command("list").stderr == ""
    folder = killed()
    done = any_command("run", "none-such", "--quiet")
    assert str(folder) not in done.stderr
    assert done.stderr.startswith("error: ")
    assert not folder.exists()


def test_removing_a_link_instead_of_a_folder_of_ours_touches_neither(scratch: Path, theirs: Path) -> None:
    link = scratch / "benchbook-kernel-link"
    link.symlink_to(theirs)
    assert temporary.remove(link) is not None
    check_kept(theirs)
    assert link.is_symlink()
