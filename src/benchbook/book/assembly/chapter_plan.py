"""The chapters to be made: their parameters, and the key over all inputs of each."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchbook import files, lab, project, store
from benchbook.book.assembly import chapter_code
from benchbook.book.records import figure_list, inputs
from benchbook.errors import BenchbookError
from benchbook.experiments import chosen_runs
from benchbook.parameters import profiles
from benchbook.parameters.profiles import QUICK
from benchbook.store import Entry
from benchbook.store.schema import RUN

OLDER = "this is of an older build: runs, notebook or code of its chapter changed since; `benchbook build` builds anew"


@dataclass(frozen=True)
class Shown:
    """What a book shows of each chapter.

    edition: published runs and nothing of this machine. local: this machine's runs where there are any. Neither:
    published runs where there are any, with this machine's beside them. profile: of this machine's runs only those with
    its parameters; None: as ``chosen_runs.own`` chooses.
    """

    edition: bool = False
    local: bool = False
    profile: str | None = None

    @property
    def kind(self) -> str:
        return "edition" if self.edition else "local" if self.local else "published"


@dataclass(frozen=True)
class Chapter:
    """One chapter to be made: its source, what it is told, where it goes, and the key of everything it depends on.

    published: whether it shows a published run, or would if there were one. basis: the key of its notebook, its runs
    and the code alone, which is found in a moment.
    """

    experiment: str
    notebook: Path
    parameters: dict[str, Any]
    published: bool
    target: Path
    key: str
    basis: str

    @property
    def runs(self) -> str:
        """Which runs it may read."""
        return "published" if self.published else "local"

    @property
    def key_path(self) -> Path:
        return self.target.with_suffix(".key.json")

    def is_current(self) -> bool:
        """Whether the stored chapter was made from exactly these inputs and is still as it was written."""
        stored = inputs.read_json(self.key_path)
        return (
            stored.get("key") == self.key
            and self.target.is_file()
            and stored.get("sha256") == files.sha256(self.target)
        )


def plan(root: Path, shown: Shown, only: Collection[str] = ()) -> list[Chapter]:
    """Every notebook with its parameters and its key. only: those of these experiments, where any are named.

    A chapter takes its parameters from the run that it shows, else from a profile's file and its own values. One that
    shows the published run is the same in every kind of book. Raises BenchbookError for an edition without any
    published run, and for a published run that is damaged.
    """
    shared, analyses, read = inputs.of_verdicts(root, {}), lab.analyses(), chapter_code.reader()
    every = project.of_chapters(root)
    notebooks = [path for path in every if not only or path.stem in only]
    public = cache(partial(_published, root))
    if shown.edition and not any(public(path.stem) for path in notebooks):
        raise BenchbookError(
            "no run is published, so an edition would have nothing to show",
            "measure a chapter with `benchbook run EXPERIMENT`, then `benchbook publish RUN` with the run's id",
        )
    planned = []
    for path in notebooks:
        known = {**shared, "package": chapter_code.of_notebook(path, read), "notebook": files.sha256(path)}
        # The published runs of other experiments on which a chapter's claims stand.
        reads = lab.experiment(path.stem).reads if path.stem in lab.names() else ()
        known["runs of others"] = [[each, own.id, _record_sha256(own)] for each in reads for own in public(each)]
        if path.stem in analyses:
            planned.append(_chapter(root, path, {}, True, known))
        else:
            planned.append(_of_a_run(root, path, public(path.stem), shown, known))
    return planned


def _chapter(root: Path, notebook: Path, parameters: dict[str, Any], published: bool, parts: dict[str, Any]) -> Chapter:
    target = root / "book" / "chapters" / f"{notebook.stem}.ipynb"
    key = inputs.key({**parts, "public": published})
    code = {name: parts[name] for name in inputs.CODE}
    own = basis(root, notebook.stem, published=published, code=code)
    return Chapter(notebook.stem, notebook, parameters, published, target, key, own)


def basis(root: Path, name: str, *, published: bool, code: Mapping[str, Any] | None = None) -> str:
    """Key of a chapter's notebook, of the runs that it could show, and of the code, the notes and the claims.

    published: only published runs count. code: as ``inputs.of_code`` gives it; read off the notebook without.
    """
    notebook = root / "notebooks" / f"{name}.ipynb"
    entries = [each for each in store.catalogue(name) if each.published or not published]
    runs = [[each.published, each.id, _record_sha256(each)] for each in entries]
    digest = files.sha256(notebook) if notebook.is_file() else ""
    known = code or inputs.of_code(root, chapter_code.of_notebook(notebook, chapter_code.reader()))
    return inputs.key({**known, "notebook": digest, "runs": runs})


def is_older(root: Path, figure: Mapping[str, Any]) -> bool:
    """Whether runs, notebook or code of a figure's chapter changed since the book was built.

    A figure of the book itself, which stands in no chapter, is never taken for older.
    """
    if not figure_list.in_chapter(figure):
        return False
    name = str(figure["chapter"])
    made = inputs.read_json(root / figure_list.CHAPTERS / f"{name}.key.json")
    return bool(made.get("basis") != basis(root, name, published=bool(made.get("published"))))


def _record_sha256(entry: Entry) -> str:
    path = entry.folder / RUN
    return files.sha256(path) if path.is_file() else ""


def _of_a_run(root: Path, notebook: Path, public: list[Entry], shown: Shown, known: dict[str, Any]) -> Chapter:
    name = notebook.stem
    # The published run that stands for a chapter, and this machine's own; a notebook without a module has neither.
    module = lab.experiment(name) if name in lab.names() else None
    best = chosen_runs.entry(module) if module else None
    mine = chosen_runs.own(module, shown.profile, beside=not shown.local) if module and not shown.edition else None
    published = shown.edition or (best is not None and not (shown.local and mine is not None))
    run = best if published else mine
    if run is not None and run.record is not None:
        parameters = dict(run.record["parameters"])
    else:  # the page will say that nothing is published, or measured
        parameters = {} if published else profiles.profile(name, shown.profile or QUICK)
    # Which of these the notebook shows is the lab's business; it may show a figure of the published one beside its own.
    local = [] if published else [entry for entry in store.catalogue(name) if not entry.published and entry.record]
    runs = [[entry.published, entry.id, files.sha256(entry.folder / RUN)] for entry in [*public, *local]]
    parts = {**known, "parameters": parameters, "runs": runs}
    return _chapter(
        root, notebook, parameters, published, parts if published else {**parts, "here": inputs.quiet(local=True)}
    )


def _published(root: Path, experiment: str) -> list[Entry]:
    """All published runs, of whatever version; none may be damaged."""
    found = [entry for entry in store.catalogue(experiment) if entry.published]
    for entry in found:
        if entry.record is None or entry.record["state"] != "complete":
            raise BenchbookError(
                f"{(entry.folder / RUN).relative_to(root)} is damaged or unfinished",
                "restore it with `git checkout`, or remove its folder",
            )
    return found
