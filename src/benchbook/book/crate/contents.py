"""Every file of an edition's crate: where it lies there, what it holds, under which licence."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook import provenance
from benchbook.book.parts import figure_files
from benchbook.book.records import editions
from benchbook.errors import StoredRunError
from benchbook.store import sums
from benchbook.store.schema import RUN

FIGURES = "figures"
LEDGER = "data/claims.csv"
SUMS = f"data/published/{sums.FILE}"
LEDGERS = "data/ledgers"
"""Ledgers against which runs were planned and that the edition's own has grown beyond since: ``<sha256>.csv``."""
TEXT, CODE = "CC-BY-4.0", "Apache-2.0"
_MEDIA_TYPES = {
    "bib": "application/x-bibtex",
    "cff": "application/yaml",
    "css": "text/css",
    "csl.json": "application/vnd.citationstyles.csl+json",
    "csv": "text/csv",
    "html": "text/html",
    "ipynb": "application/x-ipynb+json",
    "js": "text/javascript",
    "json": "application/json",
    "md": "text/markdown",
    "parquet": "application/vnd.apache.parquet",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
}
_ABOUT = (
    ("notebooks/", "A chapter's source: prose and code cells without outputs.", (TEXT, CODE)),
    ("data/notes/", "Numbers printed in the notes under examination, as tidy tables with their description.", (TEXT,)),
    (LEDGER, "The ledger: every claim with the rule by which it is judged, written before measuring.", (TEXT,)),
    ("data/", "A table that belongs to the ledger or to a page of the book.", (TEXT,)),
    ("book/_static/", "Style or script of the rendered book.", (CODE,)),
    ("book/", "A page of the book, or its references.", (TEXT,)),
    ("requirements.lock", "Every Python package with its version and its hash.", (CODE,)),
    ("LICENSE-CC-BY-4.0", "The licence of text, data and figures.", (TEXT,)),
    ("LICENSE", "The licence of program code.", (CODE,)),
    ("NOTICE", "The licence of each part.", (CODE,)),
    ("CITATION.cff", "How to cite the whole.", (TEXT,)),
    ("codemeta.json", "The same as software metadata.", (TEXT,)),
    ("", "A setting of the project.", (CODE,)),
)
"""Beginning of a path to one sentence about such files and the licences of their parts; the first that fits counts."""


@dataclass(frozen=True)
class CrateFile:
    """One file of a crate. path: in the crate, as in a clone. content: the file itself, or where it lies now."""

    path: str
    content: Path | bytes
    about: str
    licences: tuple[str, ...]

    @property
    def media_type(self) -> str:
        """By the name's ending; plain text where it says nothing, as with LICENSE."""
        _, _, ending = self.path.rpartition("/")[2].partition(".")
        return _MEDIA_TYPES.get(ending) or _MEDIA_TYPES.get(ending.rpartition(".")[2], "text/plain")


def all_files(root: Path, edition: Mapping[str, Any], figures: Iterable[Mapping[str, Any]]) -> list[CrateFile]:
    """Every file of the edition's crate but its metadata; ``edition`` and ``figures`` as ``editions`` reads them.

    Raises StoredRunError, with the hash, when a file is nowhere here as it was frozen.
    """
    drawn = (
        CrateFile(path, content, f"Figure {figure['id']}: {figure['title']}.", (TEXT,))
        for figure in figures
        for path, content in of_figure(root, figure).items()
    )
    return [*_frozen(root, edition), *_ledgers(root, edition), *_runs(root, edition), *_own(root, edition), *drawn]


def of_run(run: Mapping[str, Any]) -> list[str]:
    """Paths of a run's files, its record first."""
    return [f"data/published/{run['experiment']}/{run['run_id']}/{name}" for name in (RUN, *run["files"])]


def listed(edition: Mapping[str, Any]) -> str:
    """What SHA256SUMS says of an edition's runs and of no others, so that a crate is a project of its own."""
    return sums.text(
        {f"{run['experiment']}/{run['run_id']}": {RUN: run["record_sha256"], **run["files"]} for run in edition["runs"]}
    )


def ledger_of(edition: Mapping[str, Any], run: Mapping[str, Any]) -> str | None:
    """Path of the ledger against which a run was planned; None for a run that names none."""
    digest = run["ledger_sha256"]
    if digest is None:
        return None
    return LEDGER if edition["files"].get(LEDGER) == digest else f"{LEDGERS}/{digest}.csv"


def of_figure(root: Path, figure: Mapping[str, Any]) -> dict[str, Path | bytes]:
    """Path to content of a figure's files: table, drawing, record, citations, and the static drawings there are."""
    texts = {suffix: text.encode() for suffix, text in figure_files.contents(figure).items()}
    every: dict[str, Path | bytes] = {**texts, **figure_files.exports(root, figure)}
    return {f"{FIGURES}/{figure['id']}.{suffix}": content for suffix, content in every.items()}


def _frozen(root: Path, edition: Mapping[str, Any]) -> Iterator[CrateFile]:
    for path, digest in edition["files"].items():
        about, licences = next((words, terms) for start, words, terms in _ABOUT if path.startswith(start))
        yield CrateFile(path, _state(root, path, digest, f"the edition {edition['name']} froze it"), about, licences)


def _state(root: Path, path: str, digest: str, when: str) -> bytes:
    content = provenance.state(root, path, digest)
    if content is None:
        raise StoredRunError(
            f"{path} is not available here as it was when {when} (SHA-256 {digest[:12]}…)",
            "restore it, or fetch the whole history with `git fetch --unshallow`",
        )
    return content


def _ledgers(root: Path, edition: Mapping[str, Any]) -> Iterator[CrateFile]:
    about = "The ledger as it was when a run of this edition was planned."
    runs = {ledger_of(edition, run): run for run in edition["runs"]}
    for path, run in runs.items():
        if path not in (None, LEDGER):
            content = _state(root, LEDGER, run["ledger_sha256"], f"the run {run['run_id']} was planned")
            yield CrateFile(str(path), content, about, (TEXT,))


def _runs(root: Path, edition: Mapping[str, Any]) -> Iterator[CrateFile]:
    about = {
        RUN: "The parameters of the run, the machine and code that measured it, and the hashes of the tables.",
        "trials.parquet": "One row per trial: metrics and labels.",
        "samples.parquet": "Single latencies in order of time.",
    }
    for run in edition["runs"]:
        for path in of_run(run):
            words = about.get(path.rpartition("/")[2], "A file of a run.")
            yield CrateFile(path, root / path, f"Run {run['run_id']} of {run['experiment']}. {words}", (TEXT,))
    yield CrateFile(SUMS, listed(edition).encode(), "The SHA-256 of every file of the runs.", (TEXT,))


def _own(root: Path, edition: Mapping[str, Any]) -> Iterator[CrateFile]:
    about = {
        editions.RECORD: "What the edition was made from: runs, ledger, code and figures, each by its hash.",
        editions.FIGURES: "The record of every figure: drawing, table, caption, origin and citations.",
    }
    for name, words in about.items():
        path = (editions.FOLDER / edition["name"] / name).as_posix()
        yield CrateFile(path, root / path, words, (TEXT,))
