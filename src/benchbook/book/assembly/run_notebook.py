"""A chapter's notebook, executed with the parameters of a stored run and saved beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchbook import files, lab, project, store
from benchbook.book.assembly import chapter_code, publishing
from benchbook.book.assembly.execution import Job, Result
from benchbook.book.assembly.workers import workers
from benchbook.book.records import chapter_figures, inputs, notebook_text
from benchbook.errors import BenchbookError, StoredRunError
from benchbook.experiments import chosen_runs
from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.parameters import key_of
from benchbook.figures.prose import counted
from benchbook.model import Run
from benchbook.store import atomic


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


def executed(run: Run, beforehand: Callable[[], None] = lambda: None) -> Path:
    """The notebook of this run, executed now unless the saved one is current; ``beforehand`` is called if it is not.

    Raises BenchbookError that names the cell when it fails; the run itself is stored all the same.
    """
    path, key = target(run), _run_key(run)
    if _made_with(path) == key:
        return path
    beforehand()
    mark = {"run": run.id, "key": key}
    _execute(run.experiment, dict(run.parameters), path, mark, _source_of_runs(run), f"run {run.id} is stored, but ")
    return path


def _source_of_runs(run: Run) -> str:
    """Which runs the notebook is to be executed with: both kinds where blocks were added here to published ones."""
    if run.published:
        return "published"
    group = project.published() / run.experiment
    return "any" if any((group / part.id).is_dir() for part in run.pool) else "local"


def saved(experiment: str, parameters: Mapping[str, Any]) -> str | None:
    """The text of the notebook beside the local run that the book shows for these parameters; None unless current.

    parameters: of the run, all of them. A chapter that is executed with them says the same.
    """
    if experiment not in lab.names() or lab.experiment(experiment).kind is Kind.ANALYSIS:
        return None
    module = lab.experiment(experiment)
    key = module.Parameters.given(parameters).key(module.name, module.version)
    entry = store.find_complete(module.name, key, published=False)
    if entry is None:
        return None
    try:
        run = store.read_run(entry.folder, published=False)
    except StoredRunError:  # executing the chapter says what is wrong with it
        return None
    return target(run).read_text("utf-8") if is_current(run) else None


def recomputed(experiment: str, parameters: dict[str, Any]) -> Path:
    """The notebook of a chapter that stores no run, executed now with these parameters unless the saved one is current.

    Raises BenchbookError that names the cell when it fails.
    """
    path = project.runs() / experiment / f"{key_of(experiment, 0, parameters)}.ipynb"
    key = _key(experiment)
    if _made_with(path) != key:
        atomic.make_folder(path.parent)
        _execute(experiment, parameters, path, {"run": "", "key": key}, "any", "")
    return path


def _execute(
    experiment: str, parameters: dict[str, Any], path: Path, mark: dict[str, Any], runs: str, failed: str
) -> None:
    root, notebook = project.root(), source(experiment)
    environment = {"BENCHBOOK_HOME": str(root), "BENCHBOOK_SOURCE": runs, "BENCHBOOK_MEASURE": "never"}
    result = _in_a_worker(Job(experiment, notebook, parameters, environment))
    if result.failure is not None:
        mend = result.failure.mend or "fix the notebook or the code it calls"
        raise BenchbookError(
            f"{failed}{result.failure.told(experiment)}",
            f"{mend}; the same command then uses the stored run" if failed else mend,
        )
    text = result.notebook.replace(f"{root}/", "")  # a notebook that is passed on names no folder of this machine
    content = notebook_text.parse(text)
    content.metadata.get("papermill", {}).update(output_path=path.relative_to(root).as_posix())
    content.metadata["benchbook"] = mark
    inputs.write_atomically(path, notebook_text.text(content))


def outcomes(path: Path) -> str:
    """How the verdicts of an executed notebook came out, in the protocol's order, such as "2 reproduced"."""
    return counted(record["outcome"] for record in publishing.verdicts(path.read_text("utf-8")))


def unfilled(path: Path) -> list[str]:
    """Titles of the figures of an executed notebook for which the run measured nothing."""
    content = notebook_text.parse(path.read_text("utf-8"))
    return [figure["title"] for figure in chapter_figures.shown(content) if figure.get("lacks")]


def _in_a_worker(job: Job) -> Result:
    # A process of its own, as execution asks for: it sets variables that must not outlive the notebook.
    with workers(1) as submit:
        return submit(job).result()


def _made_with(path: Path) -> str:
    """The key that a saved notebook carries; "" without one."""
    own = inputs.read_json(path).get("metadata", {}).get("benchbook", {})
    return str(own.get("key", "")) if isinstance(own, dict) else ""


def _run_key(run: Run) -> str:
    published = chosen_runs.entry(lab.experiment(run.experiment))  # of which it may show a figure
    beside = published.id if published else ""
    parts = {"run": [run.id, run.published], "files": run.provenance.get("files"), "beside": beside}
    return _key(run.experiment, parts)


def _key(experiment: str, run: Mapping[str, Any] = MappingProxyType({})) -> str:
    notebook = source(experiment)
    code = chapter_code.of_notebook(notebook, chapter_code.reader())
    parts = {**inputs.of_verdicts(project.root(), code), "notebook": files.sha256(notebook)}
    return inputs.key({**parts, **run})
