"""Chapters' notebooks, executed with the parameters of stored runs and saved beside them."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchbook import files, lab, project, store
from benchbook.book.assembly import chapter_code, publishing
from benchbook.book.assembly.execution import Job, Result
from benchbook.book.assembly.workers import results
from benchbook.book.records import figure_records, inputs, notebook_text
from benchbook.errors import BenchbookError, StoredRunError
from benchbook.experiments import chosen_runs
from benchbook.figures.prose import counted
from benchbook.model import Run
from benchbook.parameters.base import key_of
from benchbook.parameters.kinds import Kind
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


@dataclass(frozen=True)
class Execution:
    """A notebook and what it is executed with.

    path: where it is saved. run: the id of the stored one that it shows, or "". key: of all that it is made from.
    runs: which runs it may read, published, local or any.
    """

    experiment: str
    parameters: Mapping[str, Any]
    path: Path
    run: str
    key: str
    runs: str

    @property
    def is_current(self) -> bool:
        """Whether the saved one was made from the same text, code, data and run as it would be now."""
        own = inputs.read_json(self.path).get("metadata", {}).get("benchbook", {})
        return isinstance(own, dict) and own.get("key") == self.key

    def job(self) -> Job:
        return Job.of_stored(project.root(), source(self.experiment), self.parameters, self.runs)

    def save(self, result: Result) -> None:
        """Keep what the worker made; raises BenchbookError that names the cell where it failed."""
        if result.failure is not None:
            mend = result.failure.mend or "fix the notebook or the code it calls"
            stored = f"run {self.run} is stored, but " if self.run else ""
            raise BenchbookError(
                f"{stored}{result.failure.told(self.experiment)}",
                f"{mend}; the same command then uses the stored run" if stored else mend,
            )
        root = project.root()
        text = result.notebook.replace(f"{root}/", "")  # a notebook that is passed on names no folder of this machine
        content = notebook_text.parse(text)
        content.metadata.get("papermill", {}).update(output_path=self.path.relative_to(root).as_posix())
        content.metadata["benchbook"] = {"run": self.run, "key": self.key}
        atomic.make_folder(self.path.parent)
        inputs.write_atomically(self.path, notebook_text.text(content))


def of_run(run: Run) -> Execution:
    """Both kinds of runs may be read where blocks were added here to published ones."""
    group = project.published() / run.experiment
    added_to = "any" if any((group / part.id).is_dir() for part in run.pool) else "local"
    source_of_runs = "published" if run.published else added_to
    return Execution(run.experiment, run.parameters, target(run), run.id, _run_key(run), source_of_runs)


def of_analysis(experiment: str, parameters: Mapping[str, Any]) -> Execution:
    """The notebook of a chapter that stores no run."""
    path = project.runs() / experiment / f"{key_of(experiment, 0, dict(parameters))}.ipynb"
    return Execution(experiment, parameters, path, "", _key(experiment), "any")


def execute(wanted: Iterable[Execution], tell: Callable[[Execution], None] = lambda _: None) -> None:
    """Execute these, several at once. tell: is told of each that has ended.

    Raises BenchbookError that names each failed cell; the other notebooks, and all runs, are stored all the same.
    """
    errors = []
    # Processes of their own, as execution asks for: it sets variables that must not outlive the notebook.
    for execution, result in results([(each, each.job()) for each in wanted]):
        try:
            execution.save(result)
        except BenchbookError as error:
            errors.append(error)
        tell(execution)
    if errors:
        mends = dict.fromkeys(error.mend for error in errors)
        raise BenchbookError("\n".join(error.problem for error in errors), "; ".join(filter(None, mends)))


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
    return target(run).read_text("utf-8") if of_run(run).is_current else None


def outcomes(path: Path) -> str:
    """How the verdicts of an executed notebook came out, in the protocol's order, such as "2 hold"."""
    return counted(record["outcome"] for record in publishing.verdicts(path.read_text("utf-8")))


def outcome_counts(path: Path) -> dict[str, int]:
    return dict(Counter(str(record["outcome"]) for record in publishing.verdicts(path.read_text("utf-8"))))


def unfilled(path: Path) -> list[str]:
    """Titles of the figures of an executed notebook for which the run measured nothing."""
    content = notebook_text.parse(path.read_text("utf-8"))
    return [figure["title"] for figure in figure_records.shown(content) if figure.get("lacks")]


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
