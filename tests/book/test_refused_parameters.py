"""Parameters that are refused in a notebook: two lines in the cell and no traceback, which stays within reach."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

from benchbook.errors import DEBUG, BenchbookError

Execute = Callable[..., tuple[int, str, Any]]

ASK = """
from benchbook import lab
from benchbook.experiments.cost import chapter
lab.parameters(chapter, {"lakebase_usd_day": "x"})
"""


@pytest.fixture
def papermill(home: Path, tmp_path: Path) -> Execute:
    """Papermill's own command line on a notebook of the project: exit code, standard error, output of what failed."""

    def execute(name: str, *parameters: str, **variables: str) -> tuple[int, str, Any]:
        done = tmp_path / "done.ipynb"
        command = [sys.executable, "-m", "papermill", str(home / "notebooks" / f"{name}.ipynb"), str(done)]
        ended = subprocess.run(
            [*command, *parameters, "--no-progress-bar"],
            capture_output=True, text=True, check=False, cwd=home, env=os.environ | variables,
        )  # fmt: skip
        cells = [cell for cell in nbformat.read(done, as_version=4).cells if cell.cell_type == "code"]
        [failed] = [output for cell in cells for output in cell.outputs if output.output_type == "error"]
        return ended.returncode, ended.stderr, failed

    return execute


@pytest.mark.parametrize(
    ("name", "parameter", "problem"),
    [
        ("hot_cold_keys", ("n_tabels", "10"), "unknown parameter 'n_tabels' (did you mean 'n_tables'?)"),
        ("hot_cold_keys", ("n_tables", "-1"), "n_tables=-1: input should be greater than or equal to 1"),
        ("cost", ("lakebase_usd_day", "much"), "lakebase_usd_day='much': input should be a valid number"),
    ],
)
def test_papermill_fails_and_the_notebook_holds_the_two_lines(
    papermill: Execute, name: str, parameter: tuple[str, str], problem: str
) -> None:
    code, said, failed = papermill(name, "-p", *parameter)
    assert code != 0
    assert failed.ename == "BenchbookError"
    assert [line.split(": ")[0] for line in failed.traceback] == ["error", "fix"]
    assert failed.traceback[0].startswith(f"error: {problem}")
    _, own = said.split("Exception encountered at", maxsplit=1)
    assert own.strip().splitlines()[1:] == failed.traceback, "of what papermill shows after its own, the two lines"


def test_the_traceback_comes_with_a_variable(papermill: Execute) -> None:
    code, _, failed = papermill("cost", "-p", "lakebase_usd_day", "much", **{DEBUG: "1"})
    assert code != 0
    assert failed.traceback[0].startswith("Traceback")
    assert any("lab.parameters(chapter, globals())" in line for line in failed.traceback)
    assert [line.split(": ")[0] for line in failed.traceback[-2:]] == ["error", "fix"]


@pytest.fixture
def kernel(home: Path) -> Iterator[BlockingKernelClient]:
    """A kernel as JupyterLab starts one."""
    manager, client = start_new_kernel(kernel_name="python3")
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def shown(client: BlockingKernelClient, code: str) -> tuple[str, list[str]]:
    """How the cell ended, and the lines in the place of its traceback."""
    lines: list[str] = []

    def take(message: Any) -> None:
        if message["msg_type"] == "error":
            lines.extend(message["content"]["traceback"])

    reply = client.execute_interactive(code, timeout=300, output_hook=take)
    return reply["content"]["status"], lines


def test_a_kernel_shows_the_two_lines_and_the_traceback_when_asked(kernel: BlockingKernelClient) -> None:
    status, lines = shown(kernel, ASK)
    assert status == "error"
    assert [line.split(": ")[0] for line in lines] == ["error", "fix"]
    assert shown(kernel, f"%env {DEBUG}=1")[0] == "ok"
    _, lines = shown(kernel, "%tb")
    assert lines[0].startswith("Traceback")
    assert any("experiments/parameters.py" in line for line in lines)


def test_another_error_keeps_its_traceback(kernel: BlockingKernelClient) -> None:
    status, lines = shown(kernel, "1 / 0")
    assert status == "error"
    assert any("Traceback" in line for line in lines)


def test_a_thousand_wrong_values_are_cut() -> None:
    problem, mend = BenchbookError("x" * 10_000, "give others").lines()
    assert len(problem) < 2_100
    assert mend == "fix: give others"
