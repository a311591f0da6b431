"""Which of Debian's packages an engine came from."""

import shutil
import subprocess
from pathlib import Path

import pytest

from benchbook.engines import packages


def test_an_engine_of_a_package_is_told_with_its_version_and_what_was_built_here_is_not(tmp_path: Path) -> None:
    program = next(filter(None, map(shutil.which, ("redis-check-rdb", "sqlite3", "psql"))), None)
    if program is None or shutil.which("dpkg-query") is None:
        pytest.skip("no engine of a Debian package is installed here")
    found = packages.of(Path(program))
    if not found:
        pytest.skip(f"{program} is of no package")
    for name, version in found.items():
        said = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True, check=True
        )
        assert version == said.stdout
        assert name.startswith(packages.ENGINES)
    (tmp_path / "link").symlink_to(program)
    assert packages.of(tmp_path / "link") == found, "a link is followed to the package of its program"
    own = tmp_path / "engine"
    own.write_text("#!/bin/sh\n")
    assert packages.of(own) == {}
