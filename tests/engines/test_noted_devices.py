"""What a volume changes of a loop device is noted first and put back at the end; after kills: test_killed_volumes."""

import ast
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from block_devices import odd_read_aheads, read_aheads, state

import benchbook as package
from benchbook.engines import kernel_note, kernel_places, kernel_settings, leftovers
from benchbook.engines.storage import devices
from benchbook.engines.storage.volumes import volume

pytestmark = [pytest.mark.engine, pytest.mark.machine]

OWN_KIB = 64


@pytest.fixture
def before(slow_storage: None) -> Iterator[tuple[list[str], ...]]:
    """The machine, whose free devices have a read-ahead that the kernel itself would not choose."""
    with odd_read_aheads():
        found = state()
        yield found
        leftovers.remove()
        assert state() == found
        assert kernel_settings.notes() == []


def ahead(name: str) -> int | None:
    return kernel_settings.read(f"block/{name}/{kernel_places.AHEAD}")


def test_the_read_ahead_is_as_before_when_a_volume_is_gone(before: tuple[list[str], ...]) -> None:
    with volume(32, allowed=True, read_ahead_kib=OWN_KIB) as made:
        name = made.device.name
        assert ahead(name) == OWN_KIB
        devices.set_read_ahead(devices.Device(made.device, made.number), 2 * OWN_KIB)
        assert ahead(name) == 2 * OWN_KIB
        [note] = kernel_settings.notes()
        assert json.loads(note.read_text())["former"] == {f"block/{name}/queue/read_ahead_kb": 256}
    assert state() == before


@pytest.mark.faults
def test_a_device_that_somebody_uses_meanwhile_is_put_back_when_it_is_free(
    before: tuple[list[str], ...], tmp_path: Path
) -> None:
    image = tmp_path / "theirs.img"
    image.write_bytes(bytes(2**20))
    with devices.reserved() as device:
        devices.attach(device, image)
    [note] = kernel_settings.notes()
    assert kernel_note.is_abandoned(note)
    used = state()
    leftovers.remove()
    assert state() == used
    with devices.reserved() as other:
        assert other != device
    devices.detach(device, image)
    assert kernel_settings.restore_leftovers() == [f"block/{device.path.name}/queue/read_ahead_kb"]


def test_where_all_devices_are_in_use_one_more_is_made_and_removed(before: tuple[list[str], ...]) -> None:
    names = [each.partition(" ")[0] for each in read_aheads()]
    with ExitStack() as stack:
        taken = [stack.enter_context(devices.reserved()).path.name for _ in (*names, "one more")]
        assert set(names) < set(taken)
        assert len(read_aheads()) == len(names) + 1
    assert state() == before


def test_nothing_is_changed_without_a_note(before: object) -> None:
    with pytest.raises(ValueError, match="without a note"):
        kernel_settings.put(f"block/loop0/{kernel_places.AHEAD}", OWN_KIB)


def test_every_setting_that_is_ever_changed_is_listed_for_who_wants_to_know() -> None:
    security = (Path(__file__).parents[2] / "SECURITY.md").read_text()
    every = [*kernel_places.known(), kernel_places.AHEAD]
    assert [name for name in every if name.replace("vm/", "vm.") not in security] == []
    assert f"{kernel_settings.NOTE.with_suffix('')}*.json" in security


def names_a_setting(node: ast.AST) -> bool:
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else " "
    return " " not in text and (text.startswith(("/proc/sys", "/sys")) or "queue/" in text)


def test_nothing_else_of_the_code_names_a_setting_of_a_device_or_of_the_machine() -> None:
    """So that no chapter writes one past the note: what throttles and bounds is below /sys/fs/cgroup."""
    named = set()
    for path in Path(package.__file__).parent.rglob("*.py"):
        every = filter(names_a_setting, ast.walk(ast.parse(path.read_text())))
        named |= {(path.stem, str(vars(node)["value"])) for node in every}
    allowed = {
        ("kernel_places", "/proc/sys"), ("kernel_places", "/sys"), ("kernel_places", "queue/read_ahead_kb"),
        ("limits", "/sys/fs/cgroup"), ("host", "/sys/kernel/mm/damon/admin/kdamonds"),
        ("segments", "/proc/sysvipc/shm"),
    }  # fmt: skip
    boots = {(name, value) for name, value in named if value == "/proc/sys/kernel/random/boot_id"}
    assert named - boots == allowed
