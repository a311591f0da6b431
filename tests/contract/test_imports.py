"""What may import what, and what chapters may not say: no circles, no chapter another one, no visits of their own."""

import ast
import inspect
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import permutations
from pathlib import Path

import floors
import grimp
import pytest

import benchbook
from benchbook import lab, statistics
from benchbook.experiments import catalogue
from benchbook.parameters.kinds import Kind

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


OVER_BLOCKS = {
    name
    for name in statistics.__all__
    if inspect.isfunction(function := getattr(statistics, name)) and "visits" in inspect.signature(function).parameters
}


def asked(path: Path) -> Iterator[str]:
    """What a module says itself of the intervals over its blocks.

    A statistic that takes ``**how`` is given both by ``Summary.estimated``.
    """
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            words, given = ast.unparse(node.func), {keyword.arg for keyword in node.keywords}
            over_blocks = words.startswith("statistics.") and words.rpartition(".")[2] in OVER_BLOCKS
            if (given & {"visits", "confidence"} and words != "replace") or (over_blocks and None not in given):
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}: {ast.unparse(node)[:80]}"


def test_chapters_leave_visits_and_confidence_to_the_summary() -> None:
    assert {"ratio", "many_to_one", "geometric_mean", "share", "difference", "dip", "cliff"} <= OVER_BLOCKS
    measuring = [name for name in catalogue.names() if catalogue.experiment(name).kind is Kind.MEASUREMENT]
    modules = [PACKAGE / "chapters" / f"{name}.py" for name in measuring]
    modules += [path for path in (PACKAGE / "measuring").rglob("*.py") if path.parent.name != "simulation"]
    itself = [line for path in modules for line in asked(path)]
    assert not itself, "ask summary.estimated(statistics.ratio, ...), which knows both"
