"""A stored run in, its chapter's notebook executed with the run's parameters and saved beside it out."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchbook import files, project
from benchbook.book import inputs, notebook_text, publishing
from benchbook.book.execution import Job, Result, end_with_parent, execute
from benchbook.errors import BenchbookError
from benchbook.experiments.parameters import key_of
from benchbook.figures.prose import counted
from benchbook.model import Run


def source(experiment: str) -> Path:
    """The experiment's notebook; raises BenchbookError when there is none."""
    path = project.notebooks() / f"{experiment}.ipynb"
    if not path.is_file():
        raise BenchbookError(f"notebooks/{experiment}.ipynb does not exist", "restore it, for example from git")
    return path


def target(run: Run) -> Path:
    """Where the executed notebook lies: in the run's own folder, beside it for one that is only published."""
    group = project.runs() / run.experiment
    folder = group / run.id
    return folder / f"{run.experiment}.ipynb" if folder.is_dir() else group / f"{run.id}.ipynb"


def is_current(run: Run) -> bool:
    """Whether the saved notebook was made from the same text, code, data and run as it would be now."""
    return _made_with(target(run)) == _run_key(run)


def executed(run: Run) -> Path:
    """The notebook of this run, executed now unless the saved one is current.

    Raises BenchbookError that names the cell when it fails; the run itself is stored all the same.
    """
    path = target(run)
    if is_current(run):
        return path
    source_of_runs = "published" if run.published else "local"
    mark = {"run": run.id, "key": _run_key(run)}
    _execute(run.experiment, dict(run.parameters), path, mark, source_of_runs, f"run {run.id} is stored, but ")
    return path


def recomputed(experiment: str, parameters: dict[str, Any]) -> Path:
    """The notebook of a chapter that stores no run, executed now with these parameters unless the saved one is current.

    Raises BenchbookError that names the cell when it fails.
    """
    path = project.runs() / experiment / f"{key_of(experiment, 0, parameters)}.ipynb"
    key = _key(experiment)
    if _made_with(path) != key:
        path.parent.mkdir(parents=True, exist_ok=True)
        _execute(experiment, parameters, path, {"run": "", "key": key}, "any", "")
    return path


def _execute(
    experiment: str, parameters: dict[str, Any], path: Path, mark: dict[str, Any], runs: str, failed: str
) -> None:
    root, notebook = project.root(), source(experiment)
    environment = {"BENCHBOOK_HOME": str(root), "BENCHBOOK_SOURCE": runs, "BENCHBOOK_MEASURE": "never"}
    result = _in_a_worker(Job(experiment, notebook, parameters, environment))
    if result.failure is not None:
        failure = result.failure
        raise BenchbookError(
            f"{failed}notebooks/{experiment}.ipynb stopped at cell {failure.cell} ({failure.source}): "
            f"{failure.error}: {failure.message}",
            "mend the notebook or what it calls" + ("; the same command then uses the stored run" if failed else ""),
        )
    text = result.notebook.replace(f"{root}/", "")  # a notebook that is passed on names no folder of this machine
    content = notebook_text.parse(text)
    content.metadata.get("papermill", {}).update(output_path=path.relative_to(root).as_posix())
    content.metadata["benchbook"] = mark
    inputs.write_atomically(path, notebook_text.text(content))


def outcomes(path: Path) -> str:
    """How the verdicts of an executed notebook came out, in the protocol's order, such as "2 reproduced"."""
    return counted(record["outcome"] for record in publishing.verdicts(path.read_text("utf-8")))


def _in_a_worker(job: Job) -> Result:
    # A process of its own, as execution asks for: it sets variables that must not outlive the notebook.
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=end_with_parent) as pool:
        return pool.submit(execute, job).result()


def _made_with(path: Path) -> str:
    """The key that a saved notebook carries; "" without one."""
    own = inputs.read_json(path).get("metadata", {}).get("benchbook", {})
    return str(own.get("key", "")) if isinstance(own, dict) else ""


def _run_key(run: Run) -> str:
    return _key(run.experiment, {"run": [run.id, run.published], "files": run.provenance.get("files")})


def _key(experiment: str, run: Mapping[str, Any] = MappingProxyType({})) -> str:
    parts = {**inputs.of_verdicts(project.root()), "notebook": files.sha256(source(experiment))}
    return inputs.key({**parts, **run})
