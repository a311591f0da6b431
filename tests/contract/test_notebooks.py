"""What every notebook is: thin, without outputs, with the parameters of its experiment, and in the book."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import nbformat
import yaml

from benchbook import lab

CELL_LINES = 12
"""A cell is read at a glance; what is longer belongs in the package."""
FORBIDDEN = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.For, ast.While, ast.If, ast.Try, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
PATH = re.compile(r"(^|\s)(/[\w.-]+|~|[A-Za-z]:\\)|\.\./")


def notebook(root: Path, name: str) -> Any:
    return nbformat.read(root / "notebooks" / f"{name}.ipynb", as_version=4)


def codes(found: Any) -> list[Any]:
    return [cell for cell in found.cells if cell.cell_type == "code"]


def parameter_cells(found: Any) -> list[Any]:
    return [cell for cell in codes(found) if "parameters" in cell.metadata.get("tags", [])]


def test_every_notebook_belongs_to_an_experiment(root: Path) -> None:
    assert {path.stem for path in (root / "notebooks").glob("*.ipynb")} >= set(lab.names())


def test_the_parameters_cell_is_the_models_defaults(name: str, root: Path) -> None:
    [cell] = parameter_cells(notebook(root, name))
    given: dict[str, Any] = {}
    exec(compile(cell.source, name, "exec"), given)
    given.pop("__builtins__")
    model = lab.experiment(name).Parameters
    assert list(given) == [each for each in model.model_fields if each in given], "in the model's order"
    assert set(given) == set(model.model_fields)
    assert model.given(given) == model()


def test_nothing_of_an_execution_is_in_git(name: str, root: Path) -> None:
    found = notebook(root, name)
    nbformat.validate(found)
    for cell in codes(found):
        assert cell.outputs == []
        assert cell.execution_count is None
        assert "execution" not in cell.metadata
        assert "papermill" not in cell.metadata
    assert "papermill" not in found.metadata
    assert "widgets" not in found.metadata


def test_the_chapter_is_in_the_table_of_contents_once(name: str, root: Path) -> None:
    contents = yaml.safe_load((root / "_toc.yml").read_text())
    files = [chapter["file"] for part in contents["parts"] for chapter in part["chapters"]]
    assert files.count(f"book/chapters/{name}") == 1


def test_code_cells_are_thin(name: str, root: Path) -> None:
    found = notebook(root, name)
    for cell in codes(found):
        for node in ast.walk(ast.parse(cell.source)):
            assert not isinstance(node, FORBIDDEN), f"{type(node).__name__} in:\n{cell.source}"
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not PATH.search(node.value), f"a path in:\n{cell.source}"
        if cell not in parameter_cells(found):
            assert len(cell.source.splitlines()) <= CELL_LINES, cell.source


def test_a_notebook_imports_the_package_and_nothing_else(name: str, root: Path) -> None:
    for cell in codes(notebook(root, name)):
        for node in ast.walk(ast.parse(cell.source)):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert all(each.split(".")[0] == "benchbook" for each in names), cell.source


def test_a_notebook_opens_with_its_title_and_every_cell_has_an_id(name: str, root: Path) -> None:
    found = notebook(root, name)
    assert found.cells[0].cell_type == "markdown"
    assert re.match(r"(\(.*\)=\s*)?# \S", found.cells[0].source)
    headings = [line for cell in found.cells if cell.cell_type == "markdown" for line in cell.source.splitlines()]
    assert sum(line.startswith("# ") for line in headings) == 1
    identities = [cell.id for cell in found.cells]
    assert len(set(identities)) == len(identities)
