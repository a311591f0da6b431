"""Notebooks, profiles and stored runs in, the chapters to be made out: parameters and the key of all inputs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook import files, lab
from benchbook.book import inputs
from benchbook.errors import BenchbookError
from benchbook.experiments import profiles


@dataclass(frozen=True)
class Chapter:
    """One chapter to be made: its source, what it is told, where it goes, and the key of everything it depends on."""

    experiment: str
    notebook: Path
    parameters: dict[str, Any]
    edition: bool
    target: Path
    key: str

    @property
    def key_path(self) -> Path:
        """Where the key of the stored chapter lies."""
        return self.target.with_suffix(".key.json")

    def is_current(self) -> bool:
        """Whether the stored chapter was made from exactly these inputs and is still as it was written."""
        stored = inputs.read_json(self.key_path)
        return (
            stored.get("key") == self.key
            and self.target.is_file()
            and stored.get("sha256") == files.sha256(self.target)
        )


def plan(root: Path, *, edition: bool, profile: str = "quick") -> list[Chapter]:
    """Every notebook with its parameters and its key.

    An edition takes the parameters from the newest published run, an ordinary build from the profile's file; the
    standard profile has none, because it is the notebook's own values. Raises BenchbookError for an edition without
    any published run.
    """
    shared = {**inputs.of_verdicts(root), "edition": edition}
    analyses = lab.analyses()
    if edition and not any(_published(root, path.stem) for path in (root / "notebooks").glob("*.ipynb")):
        raise BenchbookError(
            "no run is published, so an edition would have nothing to show",
            "measure a chapter with `benchbook run EXPERIMENT`, then `benchbook publish RUN` with the run's id",
        )
    return [
        _analysis(root, notebook, edition, shared)
        if notebook.stem in analyses
        else _chapter(root, notebook, None if edition else profile, shared)
        for notebook in sorted((root / "notebooks").glob("*.ipynb"))
    ]


def _analysis(root: Path, notebook: Path, edition: bool, shared: dict[str, Any]) -> Chapter:
    """A chapter without runs shows the notes' numbers with the notebook's own parameters in every profile."""
    key = inputs.key({**shared, "notebook": files.sha256(notebook)})
    return Chapter(notebook.stem, notebook, {}, edition, _target(root, notebook), key)


def _target(root: Path, notebook: Path) -> Path:
    return root / "book" / "chapters" / f"{notebook.stem}.ipynb"


def _chapter(root: Path, notebook: Path, profile: str | None, shared: dict[str, Any]) -> Chapter:
    experiment = notebook.stem
    if profile is not None and _has_no_engine(experiment, profile):
        profile = None
    if profile is None and _published(root, experiment):
        run = newest_published(root, experiment)
        parameters = dict(json.loads(run.read_text("utf-8"))["parameters"])
        runs = {run.parent.name: files.sha256(run)}
    elif profile is None:
        parameters, runs = {}, {}  # its page will say that nothing is measured yet
    else:
        parameters = profiles.profile(experiment, profile)
        # Which of these the notebook shows is the lab's business; a new one may be it.
        stored = sorted([*(root / "runs").glob(f"**/{experiment}/*/run.json"), *_published(root, experiment)])
        runs = {path.parent.name: files.sha256(path) for path in stored}
    parts = {**shared, "notebook": files.sha256(notebook), "parameters": parameters, "runs": runs}
    return Chapter(experiment, notebook, parameters, profile is None, _target(root, notebook), inputs.key(parts))


def _has_no_engine(experiment: str, profile: str) -> bool:
    """Whether this machine has no run for the chapter and cannot make one, but a published run can be shown."""
    if experiment not in lab.names():
        return False
    module = lab.experiment(experiment)
    wanted = module.Parameters.given(profiles.profile(experiment, profile))
    return lab.shown_as_published(module, wanted) is not None


def newest_published(root: Path, experiment: str) -> Path:
    """The ``run.json`` of the published run that finished last; there must be one."""
    found = _published(root, experiment)
    finished = {path: inputs.read_json(path).get("finished_at") for path in found}
    for path, moment in finished.items():
        if not moment:
            raise BenchbookError(
                f"{path.relative_to(root)} is damaged or unfinished",
                "restore it with `git checkout`, or remove its folder",
            )
    return max(found, key=lambda path: (str(finished[path]), path.parent.name))


def _published(root: Path, experiment: str) -> list[Path]:
    return sorted((root / "data" / "published" / experiment).glob("*/run.json"))
