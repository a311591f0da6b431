"""No module imports itself by way of others, counting imports for types alone and imports inside functions too."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import benchbook

PACKAGE = Path(benchbook.__file__).parent
Modules = dict[str, Path]


def modules(package: Path) -> Modules:
    """Full name to file of every module below a package's folder, the package itself among them."""
    found = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path, known: Modules) -> set[str]:
    """The modules that a file names in any import statement, wherever it stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            found.update(name if name in known else node.module for name in inner.values())
    return found & known.keys()


def graph(package: Path) -> dict[str, set[str]]:
    known = modules(package)
    return {name: imported(path, known) - {name} for name, path in known.items()}


def test_no_module_imports_itself_by_way_of_others() -> None:
    try:
        TopologicalSorter(graph(PACKAGE)).prepare()
    except CycleError as error:
        pytest.fail(f"a circle of imports: {' <- '.join(error.args[1])}; move what they share to the lower module")


@pytest.mark.parametrize(
    "text",
    [
        "from whole import one\n",
        "import whole.one\n",
        "from whole.one import name\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from whole.one import name\n",
        "def late():\n    from whole import one\n",
    ],
)
def test_every_kind_of_import_can_close_a_circle(tmp_path: Path, text: str) -> None:
    package = tmp_path / "whole"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text("from whole import two\nname = 1\n")
    (package / "two.py").write_text(text)
    with pytest.raises(CycleError):
        TopologicalSorter(graph(package)).prepare()
