"""What setup/pooler.sh unpacks: only packages whose SHA-256 is listed, with their names and versions beside them."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from benchbook.engines import packages

ROOT = Path(__file__).parents[1]
LIST = "pooler-packages.txt"
CONTROL = (
    "Package: pgbouncer\nVersion: 1.18.0-1\nArchitecture: all\nMaintainer: nobody <a@example.org>\nDescription: x\n"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose apt-get gives a package made here, whose program only says its version."""
    if shutil.which("dpkg-deb") is None:
        pytest.skip("dpkg-deb, which makes and unpacks the package, is not installed")
    made, folder = tmp_path / "package", tmp_path / "project"
    program = made / "usr" / "sbin" / "pgbouncer"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho PgBouncer 1.18.0\n")
    program.chmod(0o755)
    (made / "DEBIAN").mkdir()
    (made / "DEBIAN" / "control").write_text(CONTROL)
    package = tmp_path / "pgbouncer_1.18.0-1_all.deb"
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", made, package], check=True, capture_output=True)
    shutil.copytree(ROOT / "setup", folder / "setup")
    apt = tmp_path / "bin" / "apt-get"
    apt.parent.mkdir()
    apt.write_text(f"#!/bin/sh\ncp {package} .\n")
    apt.chmod(0o755)
    return folder


def unpack(project: Path) -> subprocess.CompletedProcess[str]:
    path = f"{project.parent / 'bin'}:{os.environ['PATH']}"
    command = [project / "setup" / "pooler.sh"]
    return subprocess.run(command, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False)


def listed(project: Path) -> str:
    content = (project.parent / "pgbouncer_1.18.0-1_all.deb").read_bytes()
    return f"{hashlib.sha256(content).hexdigest()}  pgbouncer_1.18.0-1_all.deb\n"


def test_a_package_that_is_not_listed_is_not_unpacked(project: Path) -> None:
    done = unpack(project)
    assert done.returncode != 0
    [line] = done.stderr.splitlines()
    assert "pgbouncer_1.18.0-1_all.deb has the SHA-256" in line
    assert LIST in line
    assert not (project / ".tools" / "pooler").exists()
    assert not [*(project / ".tools").rglob("usr")]


def test_a_listed_package_is_unpacked_once_and_its_version_is_known(project: Path) -> None:
    with (project / "setup" / LIST).open("a") as file:
        file.write(listed(project))
    assert unpack(project).returncode == 0
    program = project / ".tools" / "pooler" / "usr" / "sbin" / "pgbouncer"
    assert packages.of(program) == {"pgbouncer": "1.18.0-1"}
    (project.parent / "bin" / "apt-get").unlink()
    assert unpack(project).returncode == 0, "it is there"


def test_the_list_is_one_of_hashes_and_files() -> None:
    lines = [line for line in (ROOT / "setup" / LIST).read_text().splitlines() if not line.startswith("#")]
    assert all(len(line.split()[0]) == 64 and line.split()[1].endswith(".deb") for line in lines)
    assert {line.split()[1].split("_")[0] for line in lines} >= {"pgbouncer", "libc-ares2"}
