"""What every notebook is: thin, without outputs, with the parameters of its experiment, and in the book."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import nbformat
import yaml
from papermill.inspection import inspect_notebook

from benchbook import lab
from benchbook.experiments import parameter_cell

CELL_LINES = 12
"""A cell is read at a glance; what is longer belongs in the package."""
FORBIDDEN = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.For, ast.While, ast.If, ast.Try, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
MEND = "strip what an execution left: .venv/bin/pre-commit run nbstripout --files NOTEBOOK"
PATH = re.compile(r"(^|\s)(/[\w.-]+|~|[A-Za-z]:\\)|\.\./")


def notebook(root: Path, name: str) -> Any:
    path = root / "notebooks" / f"{name}.ipynb"
    assert path.is_file(), f"write notebooks/{name}.ipynb"
    return nbformat.read(path, as_version=4)


def codes(found: Any) -> list[Any]:
    return [cell for cell in found.cells if cell.cell_type == "code"]


def parameter_cells(found: Any) -> list[Any]:
    return [cell for cell in codes(found) if "parameters" in cell.metadata.get("tags", [])]


def test_every_notebook_belongs_to_an_experiment(root: Path) -> None:
    found = {path.stem for path in (root / "notebooks").glob("*.ipynb")}
    assert sorted(found - set(lab.names())) == [], "these notebooks have no module in benchbook.experiments"
    assert sorted(set(lab.names()) - found) == [], "write a notebook for each of these experiments"


def test_the_parameters_cell_is_made_of_the_model(name: str, root: Path) -> None:
    cells = parameter_cells(notebook(root, name))
    assert len(cells) == 1, "tag one code cell `parameters`"
    wanted = parameter_cell.text(lab.experiment(name).Parameters)
    assert cells[0].source == wanted, f"write into the cell:\n{wanted}"


def test_papermills_help_has_the_type_the_default_and_the_words_of_each_parameter(name: str, root: Path) -> None:
    model = lab.experiment(name).Parameters
    shown = inspect_notebook(root / "notebooks" / f"{name}.ipynb")
    assert [*shown] == [*model.model_fields]
    for each, field in model.model_fields.items():
        told = shown[each]
        assert told["inferred_type_name"] == parameter_cell.kind(field.annotation)
        assert model.given({each: ast.literal_eval(told["default"])}) == model()
        words = told["help"].removesuffix(" …")
        assert len(words) > 8, each
        assert parameter_cell.words(each, field).startswith(words)


def test_nothing_of_an_execution_is_in_git(name: str, root: Path) -> None:
    found = notebook(root, name)
    nbformat.validate(found)
    for cell in codes(found):
        assert cell.outputs == [], MEND
        assert cell.execution_count is None, MEND
        assert "execution" not in cell.metadata, MEND
        assert "papermill" not in cell.metadata, MEND
    assert "papermill" not in found.metadata, MEND
    assert "widgets" not in found.metadata, MEND


def test_the_chapter_is_in_the_table_of_contents_once(name: str, root: Path) -> None:
    contents = yaml.safe_load((root / "_toc.yml").read_text())
    files = [chapter["file"] for part in contents["parts"] for chapter in part["chapters"]]
    line = f"book/chapters/{name}"
    assert files.count(line) == 1, f"put `- file: {line}` once into _toc.yml"


def test_code_cells_are_thin(name: str, root: Path) -> None:
    found = notebook(root, name)
    for cell in codes(found):
        for node in ast.walk(ast.parse(cell.source)):
            assert not isinstance(node, FORBIDDEN), f"move the {type(node).__name__} to the package:\n{cell.source}"
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not PATH.search(node.value), f"ask the package for the path:\n{cell.source}"
        if cell not in parameter_cells(found):
            assert len(cell.source.splitlines()) <= CELL_LINES, f"at most {CELL_LINES} lines:\n{cell.source}"


def test_a_notebook_imports_the_package_and_nothing_else(name: str, root: Path) -> None:
    for cell in codes(notebook(root, name)):
        for node in ast.walk(ast.parse(cell.source)):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            foreign = [each for each in names if each.split(".")[0] != "benchbook"]
            assert foreign == [], f"import only the package; what needs these belongs there:\n{cell.source}"


def test_a_notebook_opens_with_its_title_and_every_cell_has_an_id(name: str, root: Path) -> None:
    found = notebook(root, name)
    assert found.cells[0].cell_type == "markdown", "the first cell is prose"
    assert re.match(r"(\(.*\)=\s*)?# \S", found.cells[0].source), "the first line is the title: # ..."
    headings = [line for cell in found.cells if cell.cell_type == "markdown" for line in cell.source.splitlines()]
    assert sum(line.startswith("# ") for line in headings) == 1, "one title; other headings start with ##"
    stored = json.loads((root / "notebooks" / f"{name}.ipynb").read_text())  # nbformat would mend it while reading
    identities = [cell["id"] for cell in stored["cells"]]
    assert len(set(identities)) == len(identities), "two cells share an id"


def test_the_answer_stands_before_anything_else(name: str, root: Path) -> None:
    cells = notebook(root, name).cells
    setup = next(place for place, cell in enumerate(cells) if "setup" in cell.metadata.get("tags", []))
    assert len([cell for cell in cells[:setup] if cell.cell_type == "markdown"]) == 1, "only title and question before"
    assert cells[setup + 1].source == "chapter.opening(summary)"
    shown = [cell.source for cell in cells[setup + 2 : setup + 4] if cell.source.startswith("figures[")]
    assert shown, "the figure that shows it follows"
    numbers = lab.experiment(name).page.teaching.numbers
    assert len(numbers) == 3, "give page.md three numbers: they stand on the first screen"


def test_a_notebook_shows_parts_and_tables_of_its_page(name: str, root: Path) -> None:
    asked = [
        node.func.attr
        for cell in codes(notebook(root, name))
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    assert {"say", "table"} & {*asked}, "it asks nothing of its chapter's page"
