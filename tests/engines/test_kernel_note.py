"""A note of former kernel settings that is damaged is named, moved aside and never obeyed; commands go on."""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchbook.cli.commands import app
from benchbook.engines import kernel_note, kernel_places, kernel_settings
from benchbook.errors import MachineError

pytestmark = pytest.mark.faults

BOOT = "a boot"
SOUND = json.dumps({"boot": BOOT, "former": {"vm/dirty_ratio": 33, "vm/dirty_expire_centisecs": 3000}})


def wrote(content: str | bytes, mode: int = 0o600) -> Callable[[Path], None]:
    def put(note: Path) -> None:
        note.write_bytes(content.encode() if isinstance(content, str) else content)
        note.chmod(mode)

    return put


def former(**values: Any) -> Callable[[Path], None]:
    """A note of these values; names are written with _ for /."""
    return wrote(json.dumps({"boot": BOOT, "former": {f"vm/{name}": value for name, value in values.items()}}))


def named(name: str) -> Callable[[Path], None]:
    return wrote(json.dumps({"boot": BOOT, "former": {name: 1}}))


def of_a_path(note: Path) -> None:
    """A name that leads out of the tree of settings, to a file of the test's own: whatever obeys it does no harm."""
    named(str(precious(note)))(note)


def precious(note: Path) -> Path:
    """A file that no note may reach."""
    return note.parents[1] / "precious"


def of_another_owner(note: Path) -> None:
    note.write_text(SOUND)
    os.chown(note, 12_345, 12_345)


def linked(note: Path) -> None:
    target = note.with_name("elsewhere.json")
    target.write_text(SOUND)
    note.symlink_to(target)


def bound(note: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(note))


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "empty": (wrote(""), "is empty"),
    "cut short": (wrote(SOUND[:-9]), "is not whole JSON"),
    "not UTF-8": (wrote(b"\xff\xfe" + SOUND.encode()), "is not whole JSON"),
    "nested": (wrote("[" * 4_000), "is not whole JSON"),
    "a list": (wrote("[1]"), "does not say"),
    "without a boot": (wrote(json.dumps({"former": {"vm/dirty_ratio": 33}})), "does not say"),
    "without values": (wrote(json.dumps({"boot": BOOT})), "does not say"),
    "a text for a number": (former(dirty_ratio="33"), "vm/dirty_ratio a value that it cannot have"),
    "true for a number": (former(dirty_ratio=True), "vm/dirty_ratio a value that it cannot have"),
    "below 0": (former(dirty_ratio=-1), "vm/dirty_ratio a value that it cannot have"),
    "above 100 %": (former(dirty_ratio=101), "vm/dirty_ratio a value that it cannot have"),
    "more pages than memory": (former(nr_hugepages=2**40), "vm/nr_hugepages a value that it cannot have"),
    "another setting": (former(panic_on_oom=1), "'vm/panic_on_oom', which is never changed here"),
    "a name that leads elsewhere": (named("vm/../kernel/core_pattern"), "which is never changed here"),
    "a device's name that leads elsewhere": (named("block/loop0/../loop1/queue/read_ahead_kb"), "never changed here"),
    "another setting of a device": (named("block/loop0/queue/scheduler"), "never changed here"),
    "another device": (named("block/vda/queue/read_ahead_kb"), "never changed here"),
    "two devices in place of one": (wrote(json.dumps({"boot": BOOT, "former": {"block/loop0": 2}})), "cannot have"),
    "a path for a name": (of_a_path, "which is never changed here"),
    "huge": (wrote(SOUND + " " * 10**6), "bytes, more than any note"),
    "written by others": (wrote(SOUND, 0o622), "could be written by others than root"),
    "written by a group": (wrote(SOUND, 0o620), "could be written by others than root"),
    "of another owner": (of_another_owner, "could be written by others than root"),
    "a folder": (lambda note: note.mkdir(), "is a folder"),
    "a link": (linked, "is a symbolic link"),
    "a pipe": (os.mkfifo, "is a pipe"),
    "a socket": (bound, "is a socket"),
}


@pytest.fixture
def note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a note would lie, beside a tree of settings like the kernel's, in a folder of the test's own."""
    if os.geteuid() != 0:
        pytest.skip("only root has such a note")
    tree = tmp_path / "sys"
    for name in kernel_places.known():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("20\n")
    (tree / "vm" / "panic_on_oom").write_text("0\n")
    (tree / "kernel").mkdir()
    (tree / "kernel" / "core_pattern").write_text("core\n")
    (tmp_path / "run").mkdir()
    (tmp_path / "precious").write_text("whole\n")
    (tmp_path / "boot_id").write_text(f"{BOOT}\n")
    monkeypatch.setattr(kernel_places, "ROOT", tree)
    monkeypatch.setattr(kernel_settings, "NOTE", tmp_path / "run" / "note.json")
    monkeypatch.setattr(kernel_settings, "_BOOT", tmp_path / "boot_id")
    return kernel_settings.NOTE


def settings() -> dict[str, str]:
    """Every setting of the tree, and the file beside it."""
    every = [*kernel_places.ROOT.rglob("*"), precious(kernel_settings.NOTE)]
    return {str(path): path.read_text() for path in every if path.is_file()}


def aside(note: Path) -> list[Path]:
    return [path for path in note.parent.iterdir() if path.name.startswith(f"{note.name}.damaged-")]


@pytest.mark.parametrize(("damage", "told"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_note_is_named_and_moved_aside(note: Path, damage: Callable[[Path], None], told: str) -> None:
    damage(note)
    before, was = settings(), note.lstat()
    said: list[str] = []
    assert kernel_settings.restore_leftovers(said.append) == []
    assert settings() == before, "nothing of it was written"
    [moved] = aside(note)
    assert os.path.samestat(moved.lstat(), was), "it was renamed, not copied and not deleted"
    assert not os.path.lexists(note)
    [line] = said
    for words in (str(note), told, str(moved), "check by eye", "vm.dirty_ratio = 20, ", "vm.nr_hugepages = 20"):
        assert words in line
    assert "\n" not in line


def test_a_command_says_so_once_and_goes_on(note: Path, home: Path) -> None:
    note.write_text("")
    first, second = (CliRunner().invoke(app, ["list"], prog_name="benchbook") for _ in range(2))
    assert (first.exit_code, "experiment" in first.stdout) == (0, True), first.output
    assert [str(note) in line for line in first.stderr.splitlines()].count(True) == 1
    assert (second.exit_code, second.stdout) == (0, first.stdout)
    assert str(note) not in second.stderr


def test_who_can_tell_nobody_leaves_it_where_it_is(note: Path) -> None:
    linked(note)
    before, was = settings(), note.lstat()
    assert kernel_settings.restore_leftovers() == []
    assert os.path.samestat(note.lstat(), was)
    assert aside(note) == []
    assert settings() == before


def test_a_second_damaged_note_does_not_replace_the_first(note: Path) -> None:
    said: list[str] = []
    for text in ("one", "two"):
        note.write_text(text)
        kernel_settings.restore_leftovers(said.append)
    assert {path.read_text() for path in aside(note)} == {"one", "two"}
    assert len(said) == 2


def test_a_sound_note_is_obeyed_and_removed(note: Path) -> None:
    wrote(SOUND)(note)
    assert kernel_settings.restore_leftovers() == ["vm/dirty_ratio", "vm/dirty_expire_centisecs"]
    assert kernel_settings.read("vm/dirty_ratio") == 33
    assert not note.exists()
    assert aside(note) == []


def test_a_note_of_an_earlier_boot_is_dropped_unused(note: Path) -> None:
    wrote(SOUND.replace(BOOT, "another"))(note)
    assert kernel_settings.restore_leftovers() == []
    assert kernel_settings.read("vm/dirty_ratio") == 20
    assert not note.exists()


def test_values_that_the_kernel_refuses_are_told(note: Path) -> None:
    wrote(SOUND)(note)
    (kernel_places.ROOT / "vm/dirty_ratio").unlink()
    (kernel_places.ROOT / "vm/dirty_ratio").mkdir()  # what cannot be written
    said: list[str] = []
    assert kernel_settings.restore_leftovers(said.append) == []
    assert "has values that the kernel refuses (Is a directory)" in said[0]
    assert len(aside(note)) == 1


def test_a_measurement_goes_on_beside_a_damaged_note_and_puts_back_what_it_found(
    note: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_settings, "PATIENCE_S", 0.0)
    note.write_text("{")
    with kernel_settings.changed({"vm/dirty_ratio": 44}):
        assert kernel_settings.read("vm/dirty_ratio") == 44
        assert len(aside(note)) == 1
        assert kernel_note.parsed(note.read_bytes()).former == {"vm/dirty_ratio": 20}
        note.write_text("damaged meanwhile")
    assert kernel_settings.read("vm/dirty_ratio") == 20
    assert not note.exists()
    assert capsys.readouterr().err.count("is not whole JSON") == 1


def test_a_setting_that_is_never_changed_here_is_refused(note: Path) -> None:
    with pytest.raises(MachineError, match="no setting"), kernel_settings.changed({"vm/panic_on_oom": 1}):
        pass
    assert not os.path.lexists(note)
