"""A small project folder to build in, and notebooks to put into it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

WriteNotebook = Callable[..., Path]
WriteRun = Callable[..., Path]


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
