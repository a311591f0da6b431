"""Parameters that are refused in a notebook: two lines in the cell and no traceback, which stays within reach."""

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
lab.parameters(lab.experiment("cost"), {"lakebase_usd_day": "x"})
"""


def called(home: Path, done: Path, name: str, *parameters: str) -> subprocess.CompletedProcess[str]:
    """Papermill's own command line on a notebook of the project."""
    notebook, more = str(home / "notebooks" / f"{name}.ipynb"), ("--no-progress-bar", *parameters)
    command = [sys.executable, "-m", "papermill", notebook, str(done), *more]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=home)


@pytest.fixture
def papermill(home: Path, tmp_path: Path) -> Execute:
    """The same: exit code, standard error, output of what failed."""

    def execute(name: str, *parameters: str) -> tuple[int, str, Any]:
        done = tmp_path / "done.ipynb"
        ended = called(home, done, name, *parameters)
        cells = [cell for cell in nbformat.read(done, as_version=4).cells if cell.cell_type == "code"]
        [failed] = [output for cell in cells for output in cell.outputs if output.output_type == "error"]
        return ended.returncode, ended.stderr, failed

    return execute


def test_papermill_fails_and_the_notebook_holds_the_two_lines(papermill: Execute) -> None:
    code, said, failed = papermill("cost", "-p", "lakebase_usd_day", "0x10")
    assert code != 0
    assert failed.ename == "BenchbookError"
    assert [line.split(": ")[0] for line in failed.traceback] == ["error", "fix"]
    assert failed.traceback[0].startswith("error: lakebase_usd_day='0x10': input should be a valid number")
    _, own = said.split("Exception encountered at", maxsplit=1)
    assert own.strip().splitlines()[1:] == failed.traceback, "of what papermill shows after its own, the two lines"


def test_no_name_is_lost_that_an_import_hides_or_that_is_like_one_of_ipythons(papermill: Execute) -> None:
    names = ("lab", "chapter", "prose", "In", "Out", "_blocks", "_", "__version__")
    code, _, failed = papermill("cost", *(part for name in names for part in ("-p", name, "1")))
    assert code != 0
    assert failed.ename == "BenchbookError"
    assert failed.traceback[0].startswith("error: unknown parameter ")
    assert all(repr(name) in failed.traceback[0] for name in names)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("-p", "class", "1"), "'class' cannot be a parameter; see `benchbook show` for the names and their meaning"),
        (("-f", "twice.yaml"), "'lakebase_usd_day' is set twice"),
    ],
)
def test_a_name_that_is_none_in_python_or_set_twice_ends_papermill_before_a_kernel_starts(
    home: Path, tmp_path: Path, given: tuple[str, ...], said: str
) -> None:
    (home / "twice.yaml").write_text("lakebase_usd_day: 3\nlakebase_usd_day: 4\n")
    ended = called(home, tmp_path / "done.ipynb", "cost", *given)
    assert ended.returncode != 0
    assert said in ended.stderr
    assert not (tmp_path / "done.ipynb").exists()


def test_papermill_takes_numbers_as_written_from_line_and_file(papermill: Execute, tmp_path: Path) -> None:
    """They stand in the notebook, which a misspelt name ends before it computes anything."""
    (tmp_path / "mine.yaml").write_text("lakebase_usd_day: 0100\ndynamodb_usd_day: 1e3\n")
    given = ("-f", str(tmp_path / "mine.yaml"), "-p", "r8g_xlarge_spot_usd_month", "010", "-p", "lakebase_usd_dya", "1")
    _, _, failed = papermill("cost", *given)
    assert failed.traceback[0] == "error: unknown parameter 'lakebase_usd_dya' (did you mean 'lakebase_usd_day'?)"
    cells = nbformat.read(tmp_path / "done.ipynb", as_version=4).cells
    [cell] = [cell for cell in cells if "injected-parameters" in str(cell.metadata)]
    assert cell.source.splitlines()[1:] == [
        "lakebase_usd_day = 100", "dynamodb_usd_day = 1000.0", "r8g_xlarge_spot_usd_month = 10", "lakebase_usd_dya = 1",
    ]  # fmt: skip


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


def test_a_kernel_shows_the_two_lines_alone_and_of_another_error_its_traceback(kernel: BlockingKernelClient) -> None:
    status, lines = shown(kernel, "1 / 0")
    assert status == "error"
    assert any("Traceback" in line for line in lines)
    status, lines = shown(kernel, ASK)
    assert status == "error"
    assert [line.split(": ")[0] for line in lines] == ["error", "fix"]
    assert shown(kernel, f"%env {DEBUG}=1")[0] == "ok", "the traceback is there for whoever asks"
    _, lines = shown(kernel, "%tb")
    assert lines[0].startswith("Traceback")
    assert any("parameters/base.py" in line for line in lines)


def test_a_thousand_wrong_values_are_cut() -> None:
    problem, mend = BenchbookError("x" * 10_000, "give others").lines()
    assert len(problem) < 2_100
    assert mend == "fix: give others"
