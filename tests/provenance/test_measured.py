"""The hash over the code that measures: it follows names, and sees no figure, no word for people, no other chapter."""

from __future__ import annotations

import ast
import csv
from pathlib import Path

import measuring_code
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook import lab
from benchbook.provenance import bare, closure, definitions, measured, measurement_sha256, same_code

ROOT = Path(__file__).parents[2]
SESSION = "benchbook.experiments.hot_cold_keys.measure.session"
ARMS = "benchbook.experiments.hot_cold_keys.arms.configurations"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("experiments/families/features/bench.py", "session"),
        ("experiments/families/features/client.py", "Client"),
        ("experiments/families/features/parameters.py", "Features"),
        ("engines/postgres/cluster.py", "Cluster"),
        ("engines/postgres/cluster.py", "_BASE"),
        ("engines/cores.py", "split"),
        ("workloads/draws.py", "zipf"),
        ("children/__init__.py", "start"),
        ("children/launcher.py", "main"),
    ],
)
def test_a_change_of_what_is_measured_changes_the_hash(copied: Path, file: str, name: str) -> None:
    before = measurement_sha256([SESSION])
    assert f"{file}:{name}" in measured.each_reached([SESSION])
    with (copied / file).open("a") as source:
        source.write(f"\n\n{name} = None\n")
    assert measurement_sha256([SESSION]) != before


@pytest.mark.parametrize(
    ("file", "added"),
    [
        ("experiments/hot_cold_keys/numbers.py", "CHANGED = 1"),
        ("figures/theme.py", "print()"),
        ("claims/rules.py", "CHANGED = 1"),
        ("files.py", "CHANGED = 1"),
        ("engines/postgres/cluster.py", "import os as operating_system"),
        ("engines/postgres/cluster.py", "# why"),
    ],
)
def test_what_no_trial_reaches_does_not(copied: Path, file: str, added: str) -> None:
    before = measurement_sha256([SESSION])
    with (copied / file).open("a") as source:
        source.write(f"\n{added}\n")
    assert measurement_sha256([SESSION]) == before


def test_what_a_module_does_on_its_import_counts(copied: Path) -> None:
    before = measurement_sha256([SESSION])
    with (copied / "engines" / "cores.py").open("a") as source:
        source.write("\nprint()\n")
    assert measurement_sha256([SESSION]) != before


def test_the_order_of_the_names_does_not_matter_and_each_counts() -> None:
    assert measurement_sha256([SESSION, ARMS]) == measurement_sha256([ARMS, SESSION])
    assert measurement_sha256([SESSION, ARMS]) != measurement_sha256([SESSION])


def reached(sources: dict[str, str], *roots: str) -> dict[str, str]:
    """Paths like "a.py" in the package to their text; names like "a.f" in it."""
    read = {name: text.encode() for name, text in sources.items()}.get
    found = definitions.reached([f"benchbook.{each}" for each in roots], read)
    return {place: "".join(bare.spelled(statements)) for place, statements in found.items()}


TWO = {
    "a.py": "from benchbook import b\nfrom benchbook.c import g as h\ndef f(x):\n    return b.k(h(x), ONE)\nONE = 1\n",
    "b.py": "def k(*_):\n    return LIMIT\n\nLIMIT = 2\nOTHER = 3\n",
    "c/__init__.py": "from benchbook.c.d import g\n",
    "c/d.py": "def g(x):\n    return x\n\ndef unused():\n    return g(1)\n",
}


def test_names_are_followed_through_modules_and_what_they_pass_on() -> None:
    assert set(reached(TWO, "a.f")) == {"a.py:f", "a.py:ONE", "b.py:k", "b.py:LIMIT", "c/d.py:g"}
    assert set(reached(TWO, "b")) == {"b.py:k", "b.py:LIMIT", "b.py:OTHER"}, "a module counts whole"
    assert reached(TWO, "a.nothing", "nowhere.f") == {}


def test_a_module_that_is_passed_on_or_run_counts_whole() -> None:
    passed = TWO | {"a.py": "from benchbook import b\n\ndef f():\n    return g(b)\n"}
    assert set(reached(passed, "a.f")) == {"a.py:f", "b.py:k", "b.py:LIMIT", "b.py:OTHER"}
    run = TWO | {"a.py": "from benchbook import b\n\nPATH = b.__file__\n"}
    assert set(reached(run, "a.PATH")) == {"a.py:PATH", "b.py:k", "b.py:LIMIT", "b.py:OTHER"}


def test_what_has_a_name_under_a_condition_or_is_changed_later_counts_with_it() -> None:
    source = "try:\n    import x\n    N = 1\nexcept ImportError:\n    N = 2\nT = {}\nT[1] = 2\nif N:\n    T.pop(1)\n"
    found = reached({"a.py": source}, "a.N", "a.T")
    assert set(found) == {"a.py", "a.py:N", "a.py:T"}, "and the condition that runs on import"
    assert "Subscript" in found["a.py:T"]
    main = "def f():\n    return 1\n\nif __name__ == '__main__':\n    f()\n"
    assert set(reached({"a.py": main}, "a.f")) == {"a.py:f"}


def test_a_circle_of_names_ends() -> None:
    sources = {
        "a.py": "from benchbook.b import g\n\ndef f():\n    return g()\n",
        "b.py": "from benchbook.a import f\n\ndef g():\n    return f()\n",
    }
    assert set(reached(sources, "a.f")) == {"a.py:f", "b.py:g"}
    assert reached({"a.py": "from benchbook.a import f\n"}, "a.f") == {}


def hashed(source: str) -> str:
    return "".join(bare.spelled(ast.parse(source).body))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(a):\n    return a\n", 'def f(a):\n    """Say so."""\n    # and why\n\n    return a\n'),
        ("a = 1\n", '"""Module."""\n\na = (\n    1\n)\n"""Meaning of a."""\n'),
        ("class A:\n    b: int = 0\n", "class A:\n    'What A is.'\n\n    b: int = 0  # none\n"),
        ("f('a', b=[1, 2])\n", 'f(\n    "a",\n    b=[1, 2],\n)\n'),
        ("raise MachineError(f'{a} is wrong', 'mend it')\n", "raise MachineError('so')\n"),
        ("Field(1, ge=0, description='of trials')\n", "Field(1, ge=0)\n"),
        ("Configuration('a', 'the first')\n", "Configuration('a', f'{n} rows')\n"),
        ("progress('loading', 0.5)\n", "progress(f'loading {n}', 0.5)\n"),
    ],
)
def test_layout_and_words_for_people_change_nothing(before: str, after: str) -> None:
    assert hashed(before) == hashed(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = 1\n", "a = 2\n"),
        ("a = 1\n", "a = 1.0\n"),
        ("a = '1'\n", "a = 1\n"),
        ("a = None\n", "a = False\n"),
        ("a = b\n", "b = a\n"),
        ("a = [1, [2]]\n", "a = [[1], 2]\n"),
        ("f('a', 'b')\n", "f('ab')\n"),
        ("f(a)\n", "f(*a)\n"),
        ("if a:\n    b()\nelse:\n    c()\n", "if a:\n    b()\nc()\n"),
        ("def f():\n    'x'\n    return 1\n", "def f():\n    return 'x'\n"),
        ("f('why')\n", "f()\n"),
        ("a and b or c\n", "a and (b or c)\n"),
        ("-1 ** 2\n", "(-1) ** 2\n"),
        ("raise MachineError('so')\n", "raise BenchbookError('so')\n"),
        ("Field(1, ge=0, description='of trials')\n", "Field(1, ge=1, description='of trials')\n"),
        ("Configuration('a', 'the first', {'n': 1})\n", "Configuration('a', 'the first', {'n': 2})\n"),
        ("Configuration('a', 'the first')\n", "Configuration('b', 'the first')\n"),
        ("progress('loading', 0.5)\n", "progress('loading', 0.6)\n"),
    ],
)
def test_what_the_code_does_changes_the_hash(before: str, after: str) -> None:
    assert hashed(before) != hashed(after)


PLACES = st.dictionaries(st.sampled_from(["a.py:f", "b.py:g", "c.py:h"]), st.sampled_from(["0", "1", "2"]))


@given(PLACES)
def test_where_a_definition_stands_does_not_count_and_how_often_it_does(found: dict[str, str]) -> None:
    assert measured.over(found) == measured.over({f"other/{place}": digest for place, digest in found.items()})
    assert measured.over(found) == measured.over(dict(reversed(found.items())))
    assert measured.over(found) != measured.over(found | {"d.py:f": "0"})


def table() -> list[dict[str, str]]:
    with (ROOT / "data" / measured.EARLIER).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", sorted(set(lab.names()) - set(lab.analyses())))
def test_a_trial_reaches_its_session_and_its_plan(name: str) -> None:
    places = measuring_code.definitions(name, closure.installed)
    assert "runner/running.py:_measure" in places
    for wanted in ("/arms.py:configurations", ":session", ":reduce"):
        assert any(place.endswith(wanted) for place in places), wanted


def test_each_earlier_hash_is_that_of_the_commit_that_a_run_of_it_names() -> None:
    if not measuring_code.reads_commits():
        pytest.skip("this clone has no history")
    wanted = {row[1]: row for row in measuring_code.earlier()}
    rows = [row for row in table() if not row["differs"]]
    assert len({row["recorded_sha256"] for row in rows}) == len(rows)
    held = {row["recorded_sha256"]: tuple(row[name] for name in measuring_code.COLUMNS) for row in rows}
    assert held == wanted


@pytest.mark.long
def test_later_code_that_asks_the_same_differs_in_the_definitions_named_and_no_others() -> None:
    for row in (row for row in table() if row["differs"]):
        first, last = row["commits"].split("..")
        before, after = measuring_code.at_commit(first), measuring_code.at_commit(last)
        if before is None or after is None:
            pytest.skip("this clone does not have the commits")
        experiment = row["experiment"]
        assert measured.over(measuring_code.definitions(experiment, before)) == row["recorded_sha256"]
        assert measured.over(measuring_code.definitions(experiment, after)) == row["same_as_sha256"]
        assert " ".join(measuring_code.differing(experiment, before, after)) == row["differs"]
        assert row["why"]


def test_a_run_of_an_earlier_hash_is_current_while_code_that_asks_the_same_follows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = measurement_sha256([SESSION])
    chain = {"oldest": "old", "old": now, now: "what comes next", "older": "0" * 64, "round": "about", "about": "round"}
    monkeypatch.setattr(measured, "_earlier", lambda: chain)
    assert same_code("oldest", [SESSION])
    assert same_code("old", [SESSION])
    assert same_code(now, [SESSION])
    for other in ("older", "round", "unknown", None):
        assert not same_code(other, [SESSION])
