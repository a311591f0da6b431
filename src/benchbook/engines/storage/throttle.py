"""The kernel's throttle for block devices: where its rules are written, and one device's rule set, read and removed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchbook.engines.bounds import groups
from benchbook.engines.storage.caps import Cap
from benchbook.errors import MachineError

_V1 = {
    "read_iops": "blkio.throttle.read_iops_device",
    "write_iops": "blkio.throttle.write_iops_device",
    "read_bytes_per_s": "blkio.throttle.read_bps_device",
    "write_bytes_per_s": "blkio.throttle.write_bps_device",
}
_V2 = {"read_iops": "riops", "write_iops": "wiops", "read_bytes_per_s": "rbps", "write_bytes_per_s": "wbps"}
_V2_FILE = "io.max"


@dataclass(frozen=True)
class Throttle:
    """The control group whose files hold the rules. version: 1 or 2."""

    version: int
    group: Path

    def rule(self, number: str) -> Cap:
        """The rule of a device, which is named as "major:minor"; one that caps nothing where there is none."""
        if self.version == 2:
            words = _line(self.group / _V2_FILE, number)
            values = dict(word.split("=", 1) for word in words)
            return Cap(**{name: _count(values.get(word)) for name, word in _V2.items()})
        return Cap(**{name: _count(next(iter(_line(self.group / file, number)), None)) for name, file in _V1.items()})

    def put(self, number: str, cap: Cap) -> None:
        """Make ``cap`` the rule of a device; one that caps nothing removes it. Raises MachineError when refused."""
        try:
            self._write(number, cap)
        except OSError as error:
            raise MachineError(
                f"the kernel refuses a cap for the device {number} ({error.strerror})",
                "run as root outside of a container, or leave the storage as it is",
            ) from error

    def _write(self, number: str, cap: Cap) -> None:
        if self.version == 2:
            said = [f"{word}={_or(getattr(cap, name), 'max')}" for name, word in _V2.items()]
            (self.group / _V2_FILE).write_text(" ".join([number, *said]))
            return
        for name, file in _V1.items():
            (self.group / file).write_text(f"{number} {_or(getattr(cap, name), '0')}")


def find(proc: Path = groups.PROC) -> Throttle:
    """The throttle that holds for this process and what it starts; raises MachineError where there is none.

    Version 1 does not hand rules down, so the process must be in the root group, to which write-back is charged too.
    Version 2 has none in the root group; the topmost group above this process is taken, and holds for all below it.
    """
    mounts, lines = groups.listed(proc)
    for _, place, kind, options, *_ in mounts:
        if kind == "cgroup" and "blkio" in options.split(",") and (Path(place) / _V1["read_iops"]).exists():
            return _first_version(Path(place), [path for _, names, path in lines if "blkio" in names.split(",")])
    for _, place, kind, *_ in mounts:
        if kind == "cgroup2" and "io" in groups.words(Path(place) / "cgroup.controllers"):
            return _second_version(Path(place), [path for number, _, path in lines if number == "0"])
    raise MachineError(
        "this kernel has no throttle for block devices",
        "mount the control groups' blkio controller (version 1) or one with io (version 2)",
    )


def _first_version(root: Path, paths: list[str]) -> Throttle:
    own = paths[0] if paths else "/"
    if own != "/" and (root / own.lstrip("/")).is_dir():
        raise MachineError(
            f"this process is in the blkio group {own}, for which the root group's rules do not hold",
            f"start it in the root group: echo $$ > {root}/cgroup.procs",
        )
    return Throttle(1, root)


def _second_version(root: Path, paths: list[str]) -> Throttle:
    own = root / (paths[0].lstrip("/") if paths else "")
    if not own.is_dir():  # in a container the path may be the host's
        own = root
    for group in reversed([own, *(each for each in own.parents if each.is_relative_to(root))]):
        if (group / _V2_FILE).exists():
            return Throttle(2, group)
    raise MachineError(
        "the io controller is not handed down to the control group of this process",
        f"echo +io > {root}/cgroup.subtree_control, and start it in a group below",
    )


def _line(file: Path, number: str) -> list[str]:
    with suppress(OSError):
        for line in file.read_text().splitlines():
            device, *rest = line.split()
            if device == number:
                return rest
    return []


def _count(word: str | None) -> int | None:
    return None if word in (None, "max", "0") else int(word)


def _or(value: int | None, none: str) -> str:
    return none if value is None else str(value)
