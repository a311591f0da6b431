"""Scripts that build the proxy and the probes: one clear line and a failure, and no program that could be mistaken."""

import os
import shutil
from pathlib import Path

import pytest
from scripts import ROOT, call, link, program

PROGRAMS = "sh dirname cat sed grep mkdir rm mv cp chmod tail cut env sha256sum"
GO = """case "$1" in
env) echo "$HOME/go" ;;
version) echo go version go1.24.0 linux/amd64 ;;
{also}
esac"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The scripts and the sources."""
    for name in ("setup", "probes"):
        shutil.copytree(ROOT / name, tmp_path / "project" / name)
    return tmp_path / "project"


def test_without_a_compiler_one_line_says_how_to_get_it(project: Path) -> None:
    link(project / "bin", "sh", "dirname", "mkdir")
    program(project / "bin" / "id", "echo 1000")
    done = call(project / "setup" / "bootstrap.sh", "--cc", path=project / "bin")
    assert done.returncode == 1
    line = done.stderr.splitlines()[-1]
    assert line.startswith("setup: the delaying proxy needs Linux and a C compiler; sudo apt-get")


def test_what_does_not_compile_leaves_no_program(project: Path) -> None:
    compiler = program(project / "compiler", "echo base.c: nonsense >&2; exit 1")
    done = call(project / "setup" / "delay.sh", path=os.environ["PATH"], CC=str(compiler))
    assert done.returncode == 1
    assert "base.c: nonsense" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("delay: the proxy does not compile")
    assert not (project / ".tools" / "delay" / "delay").exists()


def test_it_is_compiled_once_for_each_state_of_the_sources(project: Path) -> None:
    script = """echo "$*" >>calls
case $* in *--version*) echo 1; exit ;; esac
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\necho delay 1\\n' >"$2"; chmod +x "$2\""""
    compiler = program(project / "compiler", script)

    def compiled() -> int:
        assert call(project / "setup" / "delay.sh", path=os.environ["PATH"], CC=str(compiler)).returncode == 0
        return sum("-o" in line.split() for line in (project / "calls").read_text().splitlines())

    assert [compiled(), compiled()] == [1, 1]
    with (project / "probes" / "delay" / "base.c").open("a") as source:
        source.write("/* changed */\n")
    assert [compiled(), compiled()] == [2, 2]


@pytest.fixture
def machine(project: Path) -> Path:
    """The folder of all programs of a machine without Go."""
    folder = project.parent / "bin"
    link(folder, *PROGRAMS.split())
    return folder


def failed(project: Path, *options: str) -> tuple[str, list[str]]:
    """What is said of a build that fails, and which programs it left."""
    done = call(project / "setup" / "probes.sh", *options, path=project.parent / "bin")
    assert done.returncode == 1
    return done.stderr, sorted(path.name for path in (project / ".tools" / "probes").glob("badger-*"))


def test_without_go_one_line_says_how_to_get_it(project: Path, machine: Path) -> None:
    said, built = failed(project)
    assert said.splitlines()[-1].startswith("probes: no Go found; make setup")
    assert built == []


def test_without_the_modules_and_a_network_it_says_so_with_gos_own_words(project: Path, machine: Path) -> None:
    program(machine / "go", GO.format(also="mod) echo dial tcp: no route to host >&2; exit 1 ;;"))
    said, built = failed(project)
    assert "no route to host" in said
    assert "could not be fetched" in said.splitlines()[-1]
    assert built == []


def test_a_badger_that_charges_otherwise_is_not_built_unchanged(project: Path, machine: Path) -> None:
    module = project / "module" / "table"
    module.mkdir(parents=True)
    (module / "table.go").write_text("package table\n")
    also = f"""list) echo {module.parent} ;;
build) while [ "$1" != -o ]; do shift; done; printf '#!/bin/sh\\necho v1\\n' >"$2"; chmod +x "$2" ;;"""
    program(machine / "go", GO.format(also=also))
    said, built = failed(project)
    assert "no longer charges blocks as the change expects" in said.splitlines()[-1]
    assert built == ["badger-current", "badger-note"]


def test_an_unknown_option_is_refused(project: Path, machine: Path) -> None:
    program(machine / "go", GO.format(also=""))
    assert "unknown option --all" in failed(project, "--all")[0]
