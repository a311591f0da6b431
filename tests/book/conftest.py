"""A small project folder to build in, and notebooks to put into it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import plotly.graph_objects as go
import pytest

from benchbook import provenance
from benchbook.book import crates, editions, figure_records
from benchbook.figures import Figure
from benchbook.model import Trial
from benchbook.store import RunWriter

WriteNotebook = Callable[..., Path]
WriteRun = Callable[..., Path]
StoreRun = Callable[..., str]

ROOT = Path(__file__).parents[2]
RUNS = ("hot_cold_keys", "calibration")


@pytest.fixture
def small_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without chapters: folders, claims and an empty table of contents; what runs here takes it for home."""
    monkeypatch.setenv("BENCHBOOK_HOME", str(tmp_path))
    for name in ("notebooks/profiles/quick", "data/notes", "data/published", "book", "src/benchbook"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "_config.yml").write_text("title: Small\n")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/index\n")
    (tmp_path / "data" / "claims.csv").write_text("id\n")
    (tmp_path / "data" / "claims-amendments.csv").write_text("id\n")
    (tmp_path / "data" / "notes" / "numbers.csv").write_text("x\n1\n")
    (tmp_path / "src" / "benchbook" / "code.py").write_text("VALUE = 1\n")
    (tmp_path / "book" / "index.md").write_text("# Small\n")
    return tmp_path


@pytest.fixture
def write_notebook(small_root: Path) -> WriteNotebook:
    """Write notebooks/<name>.ipynb from code cells, with its quick profile and its line in the contents."""

    def write(name: str, *codes: str, profile: str = "size: 2\n") -> Path:
        cells = [nbformat.v4.new_markdown_cell(f"# About {name}", id="title")]
        for place, code in enumerate(codes):
            cell = nbformat.v4.new_code_cell(code, id=f"code-{place}")
            if place == 0:
                cell.metadata["tags"] = ["parameters"]
            cells.append(cell)
        path = small_root / "notebooks" / f"{name}.ipynb"
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), path)
        (small_root / "notebooks" / "profiles" / "quick" / f"{name}.yaml").write_text(profile)
        with (small_root / "_toc.yml").open("a") as contents:
            if "chapters:" not in (small_root / "_toc.yml").read_text():
                contents.write("chapters:\n")
            contents.write(f"  - file: book/chapters/{name}\n")
        return path

    return write


@pytest.fixture
def write_run(small_root: Path) -> WriteRun:
    """Write a stored run's run.json, published unless told otherwise."""

    def write(experiment: str, run: str, finished_at: str | None, *, published: bool = True, **parameters: Any) -> Path:
        base = small_root / ("data/published" if published else "runs")
        path = base / experiment / run / "run.json"
        path.parent.mkdir(parents=True)
        record = {"id": run, "experiment": experiment, "parameters": parameters, "profile": "standard"}
        path.write_text(json.dumps(record | ({"finished_at": finished_at} if finished_at else {})))
        return path

    return write


@pytest.fixture(scope="module")
def frozen(module_home: Path) -> Path:
    """A project with two published runs and a figure of each, frozen as the edition 2026.1.

    It is a git clone whose ledger has grown since the runs were planned, as ledgers do.
    """
    root = module_home
    for name in ("hot_cold_keys", "calibration"):
        shutil.copytree(newest(name), root / "data" / "published" / name / newest(name).name)
    for name in ("CITATION.cff", "LICENSE", "LICENSE-CC-BY-4.0", "NOTICE", "requirements.lock"):
        shutil.copy(ROOT / name, root)
    git(root, "init", "-q")
    planned = {json.loads((newest(name) / "run.json").read_text())["provenance"]["ledger_sha256"] for name in RUNS}
    for digest in sorted(planned):
        content = provenance.state(ROOT, "data/claims.csv", digest)
        assert content is not None, "the ledger of a published run is in the project's history"
        (root / "data" / "claims.csv").write_bytes(content)
        git(root, "add", ".")
        git(root, "commit", "-q", "--allow-empty", "-m", "a ledger")
    (root / "data" / "claims.csv").write_bytes((ROOT / "data" / "claims.csv").read_bytes() + b"\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "a longer ledger")
    chapters = root / "book" / "chapters"
    chapters.mkdir(parents=True)
    paths = [write_chapter(chapters, name, a_figure(f"fig-{name[:3]}", newest(name).name)) for name in RUNS]
    paths.append(write_chapter(chapters, "notes_reanalysis", a_figure("fig-not", "")))
    figure_records.write(chapters, figure_records.of_chapters(root, paths))
    editions.create(root, "2026.1")
    return root


@pytest.fixture(scope="module")
def crate(frozen: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The crate of that edition."""
    path = tmp_path_factory.mktemp("crate") / "benchbook-2026.1.zip"
    crates.write(frozen, "2026.1", path)
    return path


def newest(experiment: str) -> Path:
    """The folder of an experiment's newest published run."""
    return max((ROOT / "data" / "published" / experiment).iterdir())


def git(root: Path, *arguments: str) -> None:
    """Git in a folder, as nobody in particular."""
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", root, *who, *arguments], check=True, capture_output=True)


def a_figure(identity: str, run: str, caption: str = "Latency by cache, in ms. More.") -> Figure:
    """A figure with everything that a figure needs."""
    data = pd.DataFrame({"arm": ["a", "b"], "p99 (ms)": [0.1 + 0.2, None]})
    return Figure(identity, caption, "Two arms.", go.Figure(go.Scatter(x=[1], y=[2])), data, run, "Student t")


def write_chapter(folder: Path, name: str, *figures: Figure) -> Path:
    """An executed chapter that shows these figures."""
    cells: list[Any] = [nbformat.v4.new_markdown_cell(f"# About {name}")]
    for figure in figures:
        data = figure._repr_mimebundle_()
        cells.append(nbformat.v4.new_code_cell("", outputs=[nbformat.v4.new_output("display_data", data=data)]))
    path = folder / f"{name}.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


@pytest.fixture
def store_run(home: Path) -> StoreRun:
    """Write a complete run of one trial and give its id.

    version: how far its measurement version is from the experiment's own.
    """

    def write(module: Any, parameters: dict[str, Any], trial: Trial, *, published: bool, version: int = 0) -> str:
        given = module.Parameters.given(parameters)
        measured = module.MEASUREMENT_VERSION + version
        record = {
            "key": given.key(module.NAME, measured), "experiment": module.NAME, "measurement_version": measured,
            "parameters": given.model_dump(mode="json"), "profile": "quick", "seed": 1, "blocks": 1, "provenance": {},
        }  # fmt: skip
        writer = RunWriter.create(home / ("data/published" if published else "runs"), record)
        writer.append(trial, writer.begin_session({}))
        return writer.finish({}).name

    return write
