"""What another account may have exchanged for a link or a pipe: refused, passed over or replaced, never followed."""

import errno
import os
import pwd
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from benchbook import nofollow
from benchbook.errors import MachineError

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root hands anything over")
NOBODY = pwd.getpwnam("nobody")


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that is ours alone, outside of what is worked in."""
    path = tmp_path / "outside" / "secret"
    path.parent.mkdir()
    path.write_text("ours alone")
    path.chmod(0o600)
    return path


def check_untouched(secret: Path) -> None:
    about = secret.lstat()
    assert secret.read_text() == "ours alone"
    assert (about.st_uid, stat.S_IMODE(about.st_mode)) == (os.geteuid(), 0o600)


def folders(tmp_path: Path) -> tuple[Path, Path]:
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    target.mkdir()
    return source, target


def content(folder: Path) -> dict[str, tuple[int, bytes | str | None]]:
    found: dict[str, tuple[int, bytes | str | None]] = {}
    for path in folder.rglob("*"):
        held = str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[path.relative_to(folder).as_posix()] = (path.lstat().st_mode, held)
    return found


def test_whatever_differs_in_a_folder_is_put_back(tmp_path: Path) -> None:
    source, target = folders(tmp_path)
    (source / "inner" / "empty").mkdir(parents=True)
    for name in ("same", "changed", "longer", "gone", "becomes a folder"):
        (source / "inner" / name).write_bytes(os.urandom(100_000))
    (source / "inner" / "changed").chmod(0o640)
    (source / "link").symlink_to("inner/same")
    assert nofollow.mirror(source, target) == 500_000
    assert content(target) == content(source)
    assert nofollow.mirror(source, target) == 0
    with (target / "inner" / "changed").open("r+b") as file:
        file.write(b"another beginning")
    with (target / "inner" / "longer").open("ab") as file:
        file.write(b"and an end")
    for name in ("gone", "becomes a folder"):
        (target / "inner" / name).unlink()
    (target / "inner" / "becomes a folder" / "deep").mkdir(parents=True)
    (target / "inner" / "empty").rmdir()
    (target / "inner" / "new").write_text("new")
    (target / "new folder").mkdir()
    (target / "link").unlink()
    (target / "link").symlink_to("inner/gone")
    assert content(target) != content(source)
    assert nofollow.mirror(source, target) == 400_000, "what is the same stays where it is"
    assert content(target) == content(source)


@AS_ROOT
def test_copies_belong_to_the_account_that_they_are_for(tmp_path: Path) -> None:
    source, target = folders(tmp_path)
    (source / "inner").mkdir()
    (source / "inner" / "file").write_text("x")
    (source / "link").symlink_to("inner")
    nofollow.mirror(source, target, NOBODY)
    for folder, owner in ((target, NOBODY.pw_uid), (source, 0)):
        assert {path.lstat().st_uid for path in folder.rglob("*")} == {owner}


@pytest.mark.parametrize("account", [None, pytest.param(NOBODY, marks=AS_ROOT)], ids=["own", "handed over"])
def test_a_copy_replaces_links_in_its_way_copies_others_as_links_and_leaves_what_they_lead_to(
    tmp_path: Path, secret: Path, account: pwd.struct_passwd | None
) -> None:
    source, target = folders(tmp_path)
    (source / "inner").mkdir()
    for name in ("file", "inner/secret"):
        (source / name).write_text("of the copy")
    (source / "to a file").symlink_to(secret)
    (source / "to a folder").symlink_to(secret.parent)
    (target / "file").symlink_to(secret)
    (target / "inner").symlink_to(secret.parent)
    (target / "extra").symlink_to(secret)
    (target / "extra folder").mkdir()
    (target / "extra folder" / "link").symlink_to(secret.parent)
    assert nofollow.mirror(source, target, account) == 2 * len("of the copy"), "what links lead to is not read"
    check_untouched(secret)
    assert list(secret.parent.iterdir()) == [secret]
    assert content(target) == content(source)


@pytest.mark.parametrize("which", ["source", "target"])
def test_a_folder_that_is_a_link_itself_is_refused(tmp_path: Path, secret: Path, which: str) -> None:
    source, target = folders(tmp_path)
    (tmp_path / which).rmdir()
    (tmp_path / which).symlink_to(secret.parent)
    with pytest.raises(OSError, match=r"Not a directory|symbolic link"):
        nofollow.mirror(source, target)
    check_untouched(secret)


def test_a_pipe_is_waited_for_by_nobody(tmp_path: Path) -> None:
    source, target = folders(tmp_path)
    os.mkfifo(source / "pipe")
    with pytest.raises(MachineError, match="'pipe', which is neither file nor folder nor link"):
        nofollow.mirror(source, target)
    with pytest.raises(OSError, match="not a regular file"):
        nofollow.text(source / "pipe")
    assert [file.name for file in nofollow.files_below(source)] == []


def test_what_is_below_a_folder_is_its_files_and_nothing_that_links_lead_to(tmp_path: Path, secret: Path) -> None:
    source, _ = folders(tmp_path)
    (source / "inner").mkdir()
    (source / "inner" / "file").write_text("inside")
    (source / "link").symlink_to(secret)
    (source / "folder").symlink_to(secret.parent)
    assert [file.read() for file in nofollow.files_below(source)] == [b"inside"]
    assert list(nofollow.files_below(source / "folder")) == []
    assert list(nofollow.files_below(source / "none")) == []
    with pytest.raises(OSError, match="symbolic link"):
        nofollow.text(source / "link")


@AS_ROOT
def test_only_what_is_ours_alone_is_handed_over(tmp_path: Path, secret: Path) -> None:
    linked, second, others, full = (tmp_path / name for name in ("linked", "second", "others", "full"))
    linked.symlink_to(secret)
    second.hardlink_to(secret)
    others.touch()
    os.chown(others, 12345, 12345)
    full.mkdir()
    (full / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    for path in (linked, second, others, full, tmp_path / "pipe", tmp_path / "none"):
        before = path.lstat().st_uid if path.exists() else None
        with pytest.raises(MachineError, match="cannot be handed to the server's account"):
            nofollow.hand_over(path, NOBODY)
        assert before == (path.lstat().st_uid if path.exists() else None)
    check_untouched(secret)
    file = tmp_path / "file"
    file.touch()
    nofollow.hand_over(file, NOBODY)
    nofollow.hand_over(full, None)
    made = nofollow.made_over(tmp_path / "new", NOBODY)
    assert (file.stat().st_uid, full.stat().st_uid, made.stat().st_uid) == (NOBODY.pw_uid, 0, NOBODY.pw_uid)


@AS_ROOT
def test_an_account_that_is_let_through_can_neither_list_nor_change() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="benchbook-test-") as made:
        place, program = Path(made), Path(made) / "program"
        nofollow.let_through(place, NOBODY)
        program.write_text("#!/bin/sh\necho it runs\n")
        program.chmod(0o700)
        nofollow.let_read(program)
        assert tried(program) == 0
        changes = (("touch", place / "new"), ("rm", "-f", program), ("sh", "-c", f"echo >>{program}"))
        for words in (("ls", place), *changes):
            assert tried(*words) != 0
        with pytest.raises(PermissionError):
            tried(program, user=12345, group=12345)


def tried(*words: str | Path, user: int = NOBODY.pw_uid, group: int = NOBODY.pw_gid) -> int:
    done = subprocess.run(words, user=user, group=group, extra_groups=[], cwd="/", check=False, capture_output=True)
    return done.returncode


def test_emptying_a_folder_removes_links_and_pipes_and_leaves_what_lies_behind(tmp_path: Path, secret: Path) -> None:
    folder, _ = folders(tmp_path)
    (folder / "inner" / "deep").mkdir(parents=True)
    for place in (folder, folder / "inner" / "deep"):
        (place / "link").symlink_to(secret)
        (place / "folder").symlink_to(secret.parent)
        os.mkfifo(place / "pipe")
    (folder / "inner" / "deep" / "file").touch()
    (folder / "inner" / "deep").chmod(0o500)
    (folder / "inner").chmod(0o500)
    with nofollow.entered(folder) as opened:
        assert nofollow.empty(opened) is None
    assert list(folder.iterdir()) == []
    check_untouched(secret)
    assert list(secret.parent.iterdir()) == [secret]


def test_why_something_stays_is_told_and_the_rest_goes(tmp_path: Path) -> None:
    folder, _ = folders(tmp_path)
    (folder / "inner").mkdir()
    for name in ("inner/fixed", "inner/other", "last"):
        (folder / name).touch()
    fixed = folder / "inner" / "fixed"
    if subprocess.run(["chattr", "+i", fixed], check=False, capture_output=True).returncode:
        pytest.skip("no file can be made immutable here")
    try:
        with nofollow.entered(folder) as opened:
            why = nofollow.empty(opened)
        assert why.errno == errno.EPERM
        assert not nofollow.passes_by_itself(why)
        assert [path for path in folder.rglob("*") if path.is_file()] == [fixed]
    finally:
        subprocess.run(["chattr", "-i", fixed], check=True)
