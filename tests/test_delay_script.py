"""setup/delay.sh and what looks for a compiler before it: one clear line, and no program that could be mistaken."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("setup", "probes/delay"):
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


def call(project: Path, script: str, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(project), **variables}
    return subprocess.run([project / "setup" / script, *options], env=environment, capture_output=True, text=True)


def compiler(project: Path, script: str) -> str:
    path = project / "compiler"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_without_a_compiler_one_line_says_how_to_get_it(project: Path) -> None:
    (project / "bin").mkdir()
    for name in ("sh", "dirname", "mkdir"):
        (project / "bin" / name).symlink_to(shutil.which(name) or name)
    (project / "bin" / "id").write_text("#!/bin/sh\necho 1000\n")
    (project / "bin" / "id").chmod(0o755)
    done = call(project, "bootstrap.sh", "--cc", PATH=str(project / "bin"))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(
        "setup: the delaying proxy needs Linux and a C compiler; sudo apt-get"
    )


def test_what_does_not_compile_leaves_no_program(project: Path) -> None:
    done = call(project, "delay.sh", CC=compiler(project, "echo base.c: nonsense >&2; exit 1"))
    assert done.returncode == 1
    assert "base.c: nonsense" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("delay: the proxy does not compile")
    assert not (project / ".tools" / "delay" / "delay").exists()


def test_it_is_compiled_once_for_each_state_of_the_sources(project: Path) -> None:
    script = """echo "$*" >>calls
case $* in *--version*) echo 1; exit ;; esac
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\necho delay 1\\n' >"$2"; chmod +x "$2\""""
    cc = compiler(project, script)

    def compiled() -> int:
        assert call(project, "delay.sh", CC=cc).returncode == 0
        return sum("-o" in line.split() for line in (project / "calls").read_text().splitlines())

    assert [compiled(), compiled()] == [1, 1]
    with (project / "probes" / "delay" / "base.c").open("a") as source:
        source.write("/* changed */\n")
    assert [compiled(), compiled()] == [2, 2]
