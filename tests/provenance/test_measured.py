"""The hash over the code that measures: it follows imports, and sees no figure, no comment and no other chapter."""

from __future__ import annotations

import ast
import csv
import hashlib
import io
import json
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook import lab, runner
from benchbook.provenance import absent, closure, git, measured, measurement_sha256, same_code

ROOT = Path(__file__).parents[2]
MEASURE = "benchbook.experiments.hot_cold_keys.measure"


@pytest.mark.parametrize(
    "name",
    [
        "experiments/hot_cold_keys/measure.py",
        "experiments/families/features/client.py",
        "experiments/families/features/parameters.py",
        "experiments/families/postgres.py",
        "engines/postgres/cluster.py",
        "engines/postgres/btree.py",
        "engines/cores.py",
        "workloads/draws.py",
        "files.py",
    ],
)
def test_a_change_of_what_is_measured_changes_the_hash(copied: Path, name: str) -> None:
    before = measurement_sha256([MEASURE])
    with (copied / name).open("a") as file:
        file.write("CHANGED = 1\n")
    assert measurement_sha256([MEASURE]) != before


@pytest.mark.parametrize("name", ["experiments/hot_cold_keys/prose.py", "figures/theme.py", "claims/rules.py"])
def test_a_change_of_how_it_is_shown_does_not(copied: Path, name: str) -> None:
    before = measurement_sha256([MEASURE])
    with (copied / name).open("a") as file:
        file.write("CHANGED = 1\n")
    assert measurement_sha256([MEASURE]) == before


def test_the_order_of_the_modules_named_does_not_matter() -> None:
    runner = "benchbook.runner.running"
    assert measurement_sha256([MEASURE, runner]) == measurement_sha256([runner, MEASURE])
    assert measurement_sha256([MEASURE, runner]) != measurement_sha256([MEASURE])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(a):\n    return a\n", 'def f(a):\n    """Say so."""\n    # and why\n\n    return a\n'),
        ("a = 1\n", '"""Module."""\n\na = (\n    1\n)\n"""Meaning of a."""\n'),
        ("class A:\n    b: int = 0\n", "class A:\n    'What A is.'\n\n    b: int = 0  # none\n"),
        ("f('a', b=[1, 2])\n", 'f(\n    "a",\n    b=[1, 2],\n)\n'),
    ],
)
def test_comments_docstrings_and_layout_change_nothing(before: str, after: str) -> None:
    assert measured.of_syntax({"a.py": before.encode()}) == measured.of_syntax({"a.py": after.encode()})


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
    ],
)
def test_what_the_code_does_changes_the_hash(before: str, after: str) -> None:
    assert measured.of_syntax({"a.py": before.encode()}) != measured.of_syntax({"a.py": after.encode()})


@given(st.dictionaries(st.sampled_from(["a.py", "b.py", "c/d.py"]), st.sampled_from(["x = 1\n", "y = 2\n", "pass\n"])))
def test_the_name_of_a_file_and_its_content_count(sources: dict[str, str]) -> None:
    plain = {name: text.encode() for name, text in sources.items()}
    assert measured.of_syntax(plain) == measured.of_syntax(dict(reversed(plain.items())))
    if plain:
        name = min(plain)
        assert measured.of_syntax(plain) != measured.of_syntax(plain | {name: b"z = 3\n"})
        assert measured.of_syntax(plain) != measured.of_syntax(
            {**{k: plain[k] for k in plain if k != name}, "e.py": b""}
        )


def of_bytes(sources: dict[str, bytes]) -> str:
    """The hash that runs of before 2026-11-23 carry."""
    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(name.encode() + b"\0" + sources[name] + b"\0")
    return digest.hexdigest()


def at_commit(root: Path, commit: str) -> closure.Read | None:
    """Reads sources as they were at a commit; None when git does not have it."""
    try:
        archive = git.clone(root).ask("archive", commit, "src/benchbook")
    except git.GitError:
        return None
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        files = {each.name.removeprefix("src/benchbook/"): tar.extractfile(each) for each in tar if each.isfile()}
        sources = {name: file.read() for name, file in files.items() if file is not None and name.endswith(".py")}
    return sources.get


def parts(experiment: str, read: closure.Read) -> list[str]:
    """The modules from which an experiment takes what its measuring begins with, in the shape that its package has."""
    own = f"benchbook.experiments.{experiment}"
    source = closure.source_of(own, read)[1] or b""
    if b"chapter = Chapter(" in source:
        return ["benchbook.runner.running", f"{own}.arms", f"{own}.measure", "benchbook.experiments.planning"]
    wanted, found = {"Parameters", "plan", "reduce", "session"}, set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module for alias in node.names if alias.name in wanted}
    return ["benchbook.runner.running", *sorted(found or {own})]


@pytest.mark.parametrize("name", sorted(set(lab.names()) - set(lab.analyses())))
def test_the_parts_read_off_the_imports_are_those_of_the_running_code(name: str) -> None:
    read_off = parts(name, closure.installed)
    assert measurement_sha256(read_off) == measurement_sha256(runner.measuring(lab.experiment(name)))


def test_each_earlier_hash_is_that_of_the_commit_that_its_run_names() -> None:
    with (ROOT / "data" / measured.EARLIER).open(encoding="utf-8", newline="") as file:
        table = {row["bytes_sha256"]: row["syntax_sha256"] for row in csv.DictReader(file)}
    proven, lost = set(), set()
    for path in sorted((ROOT / "data" / "published").glob("*/*/run.json")):
        record = json.loads(path.read_text())
        recorded = record["provenance"]["measurement_sha256"]
        read = at_commit(ROOT, str(record["provenance"]["commit"]))
        if read is None:
            lost |= {recorded} if absent(record["provenance"]["commit"]) else set()
            continue  # not in this clone's history
        sources = measured.imported(parts(record["experiment"], read), read)
        if of_bytes(sources) == recorded:
            assert table[recorded] == measured.of_syntax(sources), path
            proven.add(recorded)
    if not proven:
        pytest.skip("this clone has no history")
    assert proven | lost >= set(table) >= proven, "each row is proven, unless its commit was lost"


def test_a_run_of_an_earlier_hash_is_current_while_only_comments_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    now = measurement_sha256([MEASURE])
    monkeypatch.setattr(measured, "_earlier", lambda: {"old": now, "older": "0" * 64})
    assert same_code("old", [MEASURE])
    assert same_code(now, [MEASURE])
    assert not same_code("older", [MEASURE])
    assert not same_code("unknown", [MEASURE])
    assert not same_code(None, [MEASURE])
