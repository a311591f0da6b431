"""What a module imports, read off its source: as its syntax tree has it, whole packages through."""

import pytest

from benchbook.provenance import closure

NO_IMPORT = '"""Words\nfrom benchbook on,\nimport benchbook\'s (all of it\n"""\nfrom benchbook import lab\n'


def read(sources: dict[str, str]) -> closure.Read:
    return {path: text.encode() for path, text in sources.items()}.get


def test_the_imports_of_every_source_of_the_package_are_those_of_its_tree() -> None:
    paths = sorted(closure.folder().rglob("*.py"))
    assert len(paths) > 300
    for path in paths:
        source = path.read_bytes()
        assert closure.imports(source) == closure._names(source), path


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import benchbook.a\n", {"benchbook.a"}),
        ("import benchbook.a as b\n", {"benchbook.a"}),
        ("from benchbook import a, b as c\n", {"benchbook.a", "benchbook.b"}),
        ("from benchbook.a import (  # (first)\n    b,  # why\n    c as d,\n)\n", {"benchbook.a.b", "benchbook.a.c"}),
        ("from benchbook.a import (\n    b,\n    c,\n)\n", {"benchbook.a.b", "benchbook.a.c"}),
        ("def f():\n    from benchbook.a import b\n\n    return b\n", {"benchbook.a.b"}),
        ("if TYPE_CHECKING:\n    from benchbook import a\n", {"benchbook.a"}),
        ("import benchbook_other\nimport numpy\nfrom os import path\n", set()),
        (NO_IMPORT, {"benchbook.lab"}),
        ("def f(:\nfrom benchbook import a\n", {"benchbook.a"}),
        ("def f(:\n'''\nfrom benchbook on\n'''\n", set()),
    ],
)
def test_an_import_is_found_wherever_it_stands(source: str, names: set[str]) -> None:
    assert closure.imports(source.encode()) == names


def test_imports_are_followed_through_modules_and_packages_and_around_circles() -> None:
    sources = {
        "a.py": "from benchbook.b import VALUE\n", "b/__init__.py": "from benchbook.b import c\n",
        "b/c.py": "import benchbook.a\n", "d.py": "", "e.py": "from benchbook import a\n",
    }  # fmt: skip
    assert set(closure.closure(["benchbook.a"], read(sources))) == {"a.py", "b/__init__.py", "b/c.py"}
    assert set(closure.closure(["benchbook.a.VALUE"], read(sources))) == set(), "the caller names modules"
    assert set(closure.closure(["benchbook.a"], read(sources), within=("benchbook.d",))) == {"a.py"}


def test_what_counts_further_is_followed_too() -> None:
    sources = {"a.py": "", "b.py": "from benchbook import c\n", "c.py": "", "d.py": ""}
    further = {"a.py": ["benchbook.b"]}
    found = closure.closure(["benchbook.a"], read(sources), further=lambda path: further.get(path, []))
    assert set(found) == {"a.py", "b.py", "c.py"}
