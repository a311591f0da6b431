"""What every notebook is: made of its chapter's page, with the parameters of its experiment, and in the book."""

from __future__ import annotations

import ast
from pathlib import Path

import yaml
from papermill.inspection import inspect_notebook

from benchbook import lab
from benchbook.experiments import notebook
from benchbook.parameters import notebook_cell


def test_every_notebook_belongs_to_an_experiment(root: Path) -> None:
    found = {path.stem for path in (root / "notebooks").glob("*.ipynb")}
    assert sorted(found - set(lab.names())) == [], "these notebooks have no module in benchbook.chapters"
    assert sorted(set(lab.names()) - found) == [], "write a notebook for each of these experiments"


def test_each_is_made_of_its_chapters_page_and_parameters(name: str, root: Path) -> None:
    found = (root / "notebooks" / f"{name}.ipynb").read_text("utf-8")
    assert found == notebook.of(lab.experiment(name)), "write it anew: make notebooks"


def test_papermills_help_has_the_type_the_default_and_the_words_of_each_parameter(name: str, root: Path) -> None:
    model = lab.experiment(name).Parameters
    shown = inspect_notebook(root / "notebooks" / f"{name}.ipynb")
    assert [*shown] == [*model.model_fields]
    for each, field in model.model_fields.items():
        told = shown[each]
        assert told["inferred_type_name"] == notebook_cell.kind(field.annotation)
        assert model.given({each: ast.literal_eval(told["default"])}) == model()
        words = told["help"].removesuffix(" …")
        assert len(words) > 8, each
        assert notebook_cell.words(each, field).startswith(words)


def test_the_chapter_is_in_the_table_of_contents_once(name: str, root: Path) -> None:
    contents = yaml.safe_load((root / "_toc.yml").read_text())
    files = [chapter["file"] for part in contents["parts"] for chapter in part["chapters"]]
    line = f"book/chapters/{name}"
    assert files.count(line) == 1, f"put `- file: {line}` once into _toc.yml"


def test_the_key_figure_follows_the_answer_and_its_numbers(name: str) -> None:
    paged = lab.experiment(name).page
    shown = [each for each in paged.page.blocks if each.kind != "part"]
    assert paged.page.front.figure in [each.name for each in shown[:2] if each.kind == "figure"], "it stands first"
    assert len(paged.teaching.numbers) == 3, "give the page three numbers: they stand on the first screen"
