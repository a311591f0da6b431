"""Execute one notebook with its parameters, in a kernel of this very environment.

Runs in a worker process. A kernel that the user registered as ``python3``, a start-up file of IPython or a Jupyter
configuration in the home folder have no influence: the worker brings its own kernel and its own empty folders. It
speaks with the kernel through Unix sockets in one of them: no port is opened, and no network interface is needed.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from benchbook import nofollow, temporary
from benchbook.book.assembly import ended
from benchbook.book.records import notebook_text
from benchbook.errors import MachineError

CELL_TIMEOUT_S = 900
KERNEL = "benchbook-book"
PROGRAM = ("-P", "-m", "benchbook.book.assembly.kernel_process")
"""Without the folder of the notebook on the path: a file in it would be taken for the library of the same name."""

SOCKETS = "k"
_LONGEST_SOCKET_PATH = 107
_OWN_PART = len(f"/{temporary.PREFIX}kernel-12345678/{SOCKETS}-99")


@dataclass(frozen=True)
class Job:
    """What to execute. environment: variables for the kernel, beside those of this process."""

    experiment: str
    notebook: Path
    parameters: dict[str, Any]
    environment: dict[str, str]

    @classmethod
    def of_stored(cls, root: Path, notebook: Path, parameters: Mapping[str, Any], runs: str) -> Self:
        """A chapter's notebook in a kernel that never measures. runs: that it may read, published, local or any."""
        told = {"BENCHBOOK_HOME": str(root), "BENCHBOOK_SOURCE": runs, "BENCHBOOK_MEASURE": "never"}
        return cls(notebook.stem, notebook, dict(parameters), told)


@dataclass(frozen=True)
class Failure:
    """The cell (counted from 1 in the notebook's source) that failed, its first line, and the error.

    mend: what to do about it where the machine failed and no cell; "" where the notebook is to be fixed.
    """

    cell: int
    source: str
    error: str
    message: str
    mend: str = ""

    def told(self, experiment: str) -> str:
        """What failed, in a line."""
        name = f"notebooks/{experiment}.ipynb"
        if self.mend:
            return f"{name} was not executed to its end: {self.message}"
        return f"{name} stopped at cell {self.cell} ({self.source}): {self.error}: {self.message}"


@dataclass(frozen=True)
class Result:
    """What came of a job: the executed notebook as text, or the failure."""

    experiment: str
    duration_s: float
    notebook: str = ""
    failure: Failure | None = None


def execute(job: Job, at_work: Callable[[], AbstractContextManager[None]] = nullcontext) -> Result:
    """Execute the job's notebook with papermill; a failing cell is a result, not an exception.

    at_work: the context around all that may be broken off by a KeyboardInterrupt. Making and removing the folder is not
    of it, so that the folder never stays.
    """
    started = time.monotonic()
    with temporary.folder("kernel", _parent()) as scratch, at_work():
        _private_jupyter(scratch, job.environment)
        output = scratch / "executed.ipynb"
        failure = _papermill(job, output, scratch)
        text = output.read_text("utf-8") if failure is None else ""
    return Result(job.experiment, time.monotonic() - started, text, failure)


def _parent() -> Path:
    """The folder for temporary files, or another one where its path is too long for sockets below it."""
    for folder in (Path(tempfile.gettempdir()), *temporary.SHORT):
        if len(os.fsencode(folder)) + _OWN_PART <= _LONGEST_SOCKET_PATH and os.access(folder, os.W_OK | os.X_OK):
            return folder
    raise MachineError(
        f"{tempfile.gettempdir()} is too long a path for a notebook's Unix sockets", "set TMPDIR to a shorter one"
    )


def _private_jupyter(scratch: Path, environment: dict[str, str]) -> None:
    spec = scratch / "data" / "kernels" / KERNEL
    spec.mkdir(parents=True)
    kernel = {
        "argv": [sys.executable, *PROGRAM, "--log-level=ERROR", "-f", "{connection_file}"],
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "env": environment,
    }
    (spec / "kernel.json").write_text(json.dumps(kernel), encoding="utf-8")
    for variable in ("JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        os.environ[variable] = str(scratch / variable.lower())
    os.environ["JUPYTER_PATH"] = str(scratch / "data")
    os.environ["JUPYTER_PLATFORM_DIRS"] = "1"
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"


def _papermill(job: Job, output: Path, scratch: Path) -> Failure | None:
    import papermill
    from papermill.exceptions import PapermillExecutionError
    from traitlets.config import Config

    from benchbook.book.assembly.kernels import OrderlyKernelManager

    OrderlyKernelManager.begin()
    # The name of a socket is "ip", a dash and a number.
    connection = {"transport": "ipc", "ip": str(scratch / SOCKETS), "connection_file": str(scratch / "connection.json")}
    try:
        papermill.execute_notebook(
            str(job.notebook),
            str(output),
            parameters=job.parameters,
            kernel_name=KERNEL,
            language="python",
            progress_bar=False,
            request_save_on_cell_execute=False,
            cwd=str(job.notebook.parent),
            execution_timeout=CELL_TIMEOUT_S,
            kernel_manager_class=OrderlyKernelManager,
            config=Config(OrderlyKernelManager=connection),
        )
    except PapermillExecutionError as error:
        return _failure(job, error.source, error.ename, error.evalue)
    except Exception as error:  # whatever else stops a notebook (a dead kernel, a time-out) must be named too
        status = OrderlyKernelManager.ended
        machine = ended.of_kernel(status, error)
        if machine is not None:
            return Failure(0, "", type(machine).__name__, machine.problem, machine.mend)
        exited = "" if status is None else f" (its process ended with exit code {status})"
        return Failure(0, "", type(error).__name__, f"{error}{exited}")
    return None


def _failure(job: Job, source: str, error: str, message: str) -> Failure:
    """Name the cell as it stands in the source notebook, which has no injected parameters."""
    cells = notebook_text.parse(nofollow.words(job.notebook)).cells
    number = next((place for place, cell in enumerate(cells, start=1) if cell.source == source), 0)
    lines = source.strip().splitlines()
    return Failure(number, lines[0] if lines else "", error, message)
