"""What setup/dynamodb.sh keeps of what Maven fetched: the listed files, and nothing beside them."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAVEN = """#!/bin/sh
for word in "$@"; do case $word in -DoutputDirectory=*) out=${{word#*=}} ;; esac; done
mkdir -p "$out"
{files}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose list has one file."""
    shutil.copytree(ROOT / "setup", tmp_path / "project" / "setup")
    digest = hashlib.sha256(b"whole\n").hexdigest()
    (tmp_path / "project" / "setup" / "dynamodb-files.txt").write_text(f"{digest}  a.jar\n")
    (tmp_path / "bin").mkdir()
    return tmp_path / "project"


def fetch(project: Path, **files: str) -> subprocess.CompletedProcess[str]:
    """Run the script where Maven gives these files."""
    written = "\n".join(f'echo {content} >"$out/{name}.jar"' for name, content in files.items())
    for name, script in (("java", "#!/bin/sh\n"), ("mvn", MAVEN.format(files=written))):
        path = project.parent / "bin" / name
        path.write_text(script)
        path.chmod(0o755)
    environment = os.environ | {"PATH": f"{project.parent / 'bin'}:{os.environ['PATH']}"}
    command = [project / "setup" / "dynamodb.sh"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("files", [{"a": "altered"}, {"a": "whole", "b": "added"}, {"b": "whole"}])
def test_what_is_not_listed_is_not_kept(project: Path, files: dict[str, str]) -> None:
    done = fetch(project, **files)
    assert done.returncode != 0
    assert "is not what setup/dynamodb-files.txt lists" in done.stderr.splitlines()[-1]
    assert not (project / ".tools" / "dynamodb").exists()


def test_what_is_listed_is_kept(project: Path) -> None:
    assert fetch(project, a="whole").returncode == 0
    assert (project / ".tools" / "dynamodb" / "lib" / "a.jar").read_text() == "whole\n"
    assert fetch(project, a="altered").returncode == 0, "it is there and fetched no more"


def test_the_list_has_every_file_by_its_hash() -> None:
    lines = (ROOT / "setup" / "dynamodb-files.txt").read_text().splitlines()
    assert all(len(line.split("  ")[0]) == 64 for line in lines)
    assert [line for line in lines if line.endswith("DynamoDBLocal-3.3.1.jar")]
