"""What setup/rocksdb-10.sh keeps: the source with the listed SHA-256; else nothing, with a line that says why."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CARGO = """#!/bin/sh
mkdir -p "$CARGO_HOME/registry"
echo altered >"$CARGO_HOME/registry/librocksdb-sys-0.17.3+10.4.2.crate"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the script, and a setup and a Cargo that do nothing."""
    (tmp_path / "project" / "setup").mkdir(parents=True)
    shutil.copy(ROOT / "setup" / "rocksdb-10.sh", tmp_path / "project" / "setup")
    _program(tmp_path / "project" / "setup" / "bootstrap.sh", "#!/bin/sh\n")
    _program(tmp_path / "bin" / "cargo", CARGO)
    return tmp_path / "project"


def _program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script)
    path.chmod(0o755)


def build(project: Path, path: str) -> subprocess.CompletedProcess[str]:
    command = [project / "setup" / "rocksdb-10.sh"]
    return subprocess.run(command, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False)


def test_a_source_with_another_hash_is_not_built(project: Path) -> None:
    done = build(project, f"{project.parent / 'bin'}:{os.environ['PATH']}")
    assert done.returncode != 0
    [line] = done.stderr.splitlines()
    assert "has the SHA-256" in line
    assert not (project / ".tools" / "rocksdb-10").exists()
    assert not (project / ".tools" / "rocksdb-10.new" / "source").exists()


def test_without_cargo_it_says_what_to_install(project: Path) -> None:
    (project.parent / "bin" / "cargo").unlink()
    for name in ("dirname", "rm", "mkdir", "sh"):
        found = shutil.which(name)
        assert found is not None
        (project.parent / "bin" / name).symlink_to(found)
    done = build(project, str(project.parent / "bin"))
    assert done.returncode != 0
    assert done.stderr.splitlines() == ["rocksdb-10: there is no cargo here; install Rust (1.68 or newer)"]
