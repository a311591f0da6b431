"""What may import what: no circles, no chapter another one, and the picture of the floors is of today."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from itertools import permutations
from pathlib import Path

import floors
import grimp
import pytest

import benchbook
from benchbook import lab

PACKAGE = Path(benchbook.__file__).parent


def imported(path: Path, known: dict[str, Path]) -> set[str]:
    """The modules that a file names in any import statement: for types alone and inside functions too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            found.update(name if name in known else node.module for name in inner.values())
    return found & known.keys()


def test_no_module_imports_itself_by_way_of_others() -> None:
    known = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
        for path in PACKAGE.rglob("*.py")
    }
    try:
        TopologicalSorter({name: imported(path, known) - {name} for name, path in known.items()}).prepare()
    except CycleError as error:
        pytest.fail(f"a circle of imports: {' <- '.join(error.args[1])}; move what they share to the lower module")


def test_no_chapter_imports_another() -> None:
    graph = grimp.build_graph("benchbook", cache_dir=None)
    packages = [lab.experiment(name).package for name in lab.names()]
    assert len(packages) > 20
    found = [
        f"{one} imports {other}"
        for one, other in permutations(packages, 2)
        if graph.direct_import_exists(importer=one, imported=other, as_packages=True)
    ]
    assert found == [], "move what both need into their family"


def test_the_picture_of_the_floors_is_of_today() -> None:
    text = floors.PAGE.read_text()
    assert floors.BEGIN in text
    assert text == floors.written(text), "run `.venv/bin/python -m tests.floors`"
    assert len(floors.floors()) >= 10
