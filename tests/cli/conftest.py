"""The real command line, called in this process or as a program of its own, in a project of the test's own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sealing
import yaml
from packed_runs import FIRST, PUBLISHED, SECOND
from typer.testing import CliRunner

from benchbook.cli.commands import app

Call = Callable[..., Any]

TINY: dict[str, Any] = {
    "blocks": 2,
    "n_tables": 2,
    "rows_per_table": 1000,
    "hot_set_keys": 50,
    "warmup_requests": 50,
    "measured_requests": 200,
    "window_requests": 100,
    "shared_buffers_mib": 2,
    "large_pool_mib": 8,
    "hot_shares_percent": [80],
    "zipf_exponents": [0.99],
    "added_read_ms": [],
}


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A parameter file of about ten seconds of measuring."""
    path = tmp_path_factory.mktemp("parameters") / "tiny.yaml"
    path.write_text(yaml.safe_dump(TINY))
    return str(path)


@pytest.fixture(scope="session")
def benchbook() -> Call:
    """Call the command line, which exits with ``code`` where one is given; the result has stdout and stderr too."""

    def call(*arguments: str, code: int | None = None) -> Any:
        result = CliRunner().invoke(app, list(arguments), prog_name="benchbook")
        assert code in (None, result.exit_code), result.output
        return result

    return call


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory, projects: Any, benchbook: Call, tiny: str) -> tuple[Any, Path]:
    """What the command said that measured with these parameters, and the folder of runs that it wrote into.

    Modules that copy it share a worker by their group, test_run.
    """
    with projects(tmp_path_factory.mktemp("tiny") / "home") as environment:
        said = benchbook("run", "hot_cold_keys", "-f", tiny)
        return said, Path(environment["BENCHBOOK_HOME"]) / "runs"


@pytest.fixture(scope="session")
def program() -> Call:
    """Start the command line as a program, its standard error a pipe."""

    def start(*arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", "from benchbook.cli import main; main()", *arguments]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, env=os.environ
        )

    return start


@pytest.fixture
def old_postgres(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation that says that it is PostgreSQL 13.4."""
    folder = tmp_path / "postgres-13"
    folder.mkdir()
    for name in ("postgres", "initdb"):
        (folder / name).write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 13.4'\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("BENCHBOOK_PG_BIN", str(folder))
    return folder


@pytest.fixture
def given(home: Path) -> Path:
    """A project with the second run published; the first is somebody else's."""
    sealing.publish_copy(PUBLISHED / SECOND, home)
    return home


@pytest.fixture
def lru(home: Path) -> str:
    """The id of the first run, which is published."""
    return sealing.publish_copy(PUBLISHED / FIRST, home).name


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """The first run in a folder of theirs."""
    return shutil.copytree(PUBLISHED / FIRST, tmp_path / "theirs" / "lru" / FIRST)
