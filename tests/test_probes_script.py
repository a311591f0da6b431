"""setup/probes.sh on machines that lack something: one clear line, a failure, and no program that could be mistaken."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAMS = (
    "sh", "dirname", "cat", "sed", "grep", "mkdir", "rm", "mv", "cp", "chmod", "tail", "cut", "env", "sha256sum",
)  # fmt: skip


class Machine:
    """A copy of the script and the sources, and a PATH that holds only what is put there."""

    def __init__(self, folder: Path) -> None:
        self.project, self.bin = folder / "project", folder / "bin"
        self.bin.mkdir()
        shutil.copytree(ROOT / "setup", self.project / "setup")
        shutil.copytree(ROOT / "probes", self.project / "probes")
        for name in PROGRAMS:
            if path := shutil.which(name):
                (self.bin / name).symlink_to(path)

    def go(self, script: str) -> None:
        path = self.bin / "go"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def build(self, *options: str) -> subprocess.CompletedProcess[str]:
        command = [str(self.project / "setup" / "probes.sh"), *options]
        environment = {"PATH": str(self.bin), "HOME": str(self.project)}
        return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def built(self) -> list[str]:
        return sorted(path.name for path in (self.project / ".tools" / "probes").glob("badger-*"))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_without_go_one_line_says_how_to_get_it(machine: Machine) -> None:
    result = machine.build()
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith("probes: no Go found; make setup")
    assert machine.built() == []


def test_without_the_modules_and_a_network_it_says_so_with_gos_own_words(machine: Machine) -> None:
    machine.go(
        """case "$1" in
env) echo "$HOME/go" ;;
version) echo go version go1.24.0 linux/amd64 ;;
mod) echo dial tcp: no route to host >&2; exit 1 ;;
esac"""
    )
    result = machine.build()
    assert result.returncode == 1
    assert "no route to host" in result.stderr
    assert "could not be fetched" in result.stderr.splitlines()[-1]
    assert machine.built() == []


def test_a_badger_that_charges_otherwise_is_not_built_unchanged(machine: Machine) -> None:
    module = machine.project / "module" / "table"
    module.mkdir(parents=True)
    (module / "table.go").write_text("package table\n")
    machine.go(
        f"""case "$1" in
env) echo "$HOME/go" ;;
version) echo go version go1.24.0 linux/amd64 ;;
list) echo {module.parent} ;;
build) while [ "$1" != -o ]; do shift; done; printf '#!/bin/sh\\necho v1\\n' >"$2"; chmod +x "$2" ;;
esac"""
    )
    result = machine.build()
    assert result.returncode == 1
    assert "no longer charges blocks as the change expects" in result.stderr.splitlines()[-1]
    assert machine.built() == ["badger-current", "badger-note"]


def test_an_unknown_option_is_refused(machine: Machine) -> None:
    machine.go("echo go version go1.24.0 linux/amd64")
    assert "unknown option --all" in machine.build("--all").stderr
