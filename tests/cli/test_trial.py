"""A note of one's own on trial: its project, what its ledger lacks, commands inside it, an example; a chapter begun."""

import ast
import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from papermill.inspection import inspect_notebook

from benchbook.pages import page
from benchbook.reuse.trial_project import FAMILIES

NOTE = """# Why we raised the scale

We saw 40 % more throughput with 16 branches than with one. Commits waited for each other before.
"""
FILLED = {
    "estimand": "Throughput with one branch for all clients over that with many, paired within blocks.",
    "metric": "tps_ratio", "unit": "ratio", "rule": "less", "high": "1", "margin": "0.1", "family": "branches",
}  # fmt: skip
QUOTE = "We saw 40 % more throughput with 16 branches than with one."
SHOWN_AND_LOADED = """
from benchbook.__main__ import main
try:
    main()
finally:
    from benchbook import lab
    a = lab.experiment("a_note")
    a.page.names.numbers, a.page.module.FIGURES
    assert [*a.configurations(a.Parameters())]
"""
"""The command that it is given, and then all that it does not load of a chapter."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, benchbook: Any) -> Path:
    return new(tmp_path_factory.mktemp("trial"), benchbook)


def inside(
    folder: Path, *arguments: str, code: int | None = None, program: tuple[str, ...] = ("-m", "benchbook")
) -> subprocess.CompletedProcess[str]:
    """A command as its user gives it, in the trial's folder. code: that it exits with. program: another one."""
    environment = {name: value for name, value in os.environ.items() if name != "BENCHBOOK_HOME"}
    command = [sys.executable, *program, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert code in (None, done.returncode), done.stdout + done.stderr
    return done


def new(folder: Path, benchbook: Any) -> Path:
    """The trial of the note, which is measured with pgbench."""
    (folder / "our_scale.md").write_text(NOTE)
    benchbook("trial", "new", str(folder / "our_scale.md"), "--family", "pgbench", "--out", str(folder / "t"), code=0)
    return folder / "t"


def answer(folder: Path) -> None:
    """Let a number of the chapter answer the claim."""
    page, claims = folder / "chapters" / "our_scale.md", "\nclaims:\n  T001: {number: single_many, figure: throughput}"
    page.write_text(page.read_text().replace("\n---\n", f"{claims}\n---\n", 1))


def row(folder: Path, **changed: str) -> None:
    """Write the ledger's only row anew, with these cells."""
    path = folder / "data" / "claims.csv"
    with path.open(newline="") as file:
        reader = csv.DictReader(file)
        names, rows = list(reader.fieldnames or []), list(reader)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerow(rows[0] | changed)


def conditions(folder: Path, *rows: str) -> None:
    """What the ledger's claim names, a row each."""
    lines = "".join(f"{each}\n" for each in ("id,parameter,low,high", *rows))
    (folder / "data" / "conditions.csv").write_text(lines)


def test_a_trial_has_the_note_a_row_to_go_on_from_and_one_chapter(folder: Path) -> None:
    assert (folder / "data" / "notes" / "our_scale.md").read_text() == NOTE
    with (folder / "data" / "claims.csv").open(newline="") as file:
        (first,) = csv.DictReader(file)
    assert first["quote"] == QUOTE
    assert first["rule"] == first["estimand"] == ""
    listed = inside(folder, "list", "--json", code=0)
    assert [each["experiment"] for each in json.loads(listed.stdout)] == ["our_scale"]
    assert sorted(path.name for path in (folder / "chapters").iterdir()) == ["our_scale.md", "our_scale.py"]
    assert "contended" not in "".join(path.read_text() for path in (folder / "chapters").iterdir())


def test_check_names_every_gap_and_then_none(folder: Path) -> None:
    lacking = inside(folder, "trial", "check", code=1)
    for gap in ("T001 has no estimand", "T001 has no rule", "T001 has no family"):
        assert gap in lacking.stdout
    row(folder, **FILLED | {"high": ""})
    assert "no region" in inside(folder, "trial", "check").stdout
    row(folder, **FILLED | {"quote": "We saw 41 % more throughput."})
    assert "quotes words that are not in" in inside(folder, "trial", "check").stdout
    row(folder, **FILLED | {"quote": QUOTE})
    lacking = inside(folder, "trial", "check").stdout
    assert "answered by no number" in lacking
    assert "T001 names no conditions" in lacking
    conditions(folder, "T001,client,16,16")
    assert "no such parameter (did you mean 'clients'?)" in inside(folder, "trial", "check", code=1).stdout
    conditions(folder, "T001,clients,64,", "T001,trial_seconds,60,60")
    answer(folder)
    whole = inside(folder, "trial", "check", "--ledger", code=0)
    assert "clients is 16 where the claim names at least 64" in whole.stderr
    conditions(folder, "T001,none,,")
    assert inside(folder, "trial", "check", "--ledger").stderr == ""
    inside(folder, "run", "our_scale", "--profile", "quick", "--dry-run", code=0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("absent.md", "--family", "pgbench"), "cannot be read"),
        (("our_scale.md", "--family", "mysql"), "no family"),
        (("lru.md", "--family", "kv"), "cannot be called"),
        (("empty.md", "--family", "kv"), "is empty"),
        (("our_scale.md",), "begins as one chapter"),
        (("our_scale.md", "--family", "kv", "--from", "prewarming"), "begins as one chapter"),
        (("our_scale.md", "--from", "prewarmin"), "is none of this book"),
        (("our_scale.md", "--from", "lru"), "answers claims of its own"),
    ],
)
def test_bad_notes_and_families_are_refused_and_nothing_is_made(
    arguments: tuple[str, ...], said: str, tmp_path: Path, benchbook: Any
) -> None:
    for name, text in (("our_scale.md", NOTE), ("lru.md", NOTE), ("empty.md", " \n")):
        (tmp_path / name).write_text(text)
    name, *others = arguments
    refused = benchbook("trial", "new", str(tmp_path / name), *others, "--out", str(tmp_path / "made"), code=1)
    assert said in refused.stderr
    assert not (tmp_path / "made").exists()


def test_a_folder_that_exists_is_left_alone(folder: Path, benchbook: Any) -> None:
    note = str(folder.parent / "our_scale.md")
    refused = benchbook("trial", "new", note, "--family", "pgbench", "--out", str(folder), code=1)
    assert "exists already" in refused.stderr


def test_check_outside_of_a_trial_says_so(home: Path, benchbook: Any) -> None:
    assert "no trial" in benchbook("trial", "check", code=1).stderr


@pytest.mark.parametrize(
    "begin", [*(("--family", each) for each in FAMILIES), ("--from", "prewarming")], ids=lambda pair: pair[1]
)
def test_the_chapter_of_every_family_loads_in_a_trial(begin: tuple[str, str], tmp_path: Path, benchbook: Any) -> None:
    (tmp_path / "a_note.md").write_text(NOTE)
    benchbook("trial", "new", str(tmp_path / "a_note.md"), *begin, "--out", str(tmp_path / "t"), code=0)
    shown = inside(tmp_path / "t", "show", "a_note", "--json", code=0, program=("-c", SHOWN_AND_LOADED))
    assert json.loads(shown.stdout)["parameters"]
    notebook = (tmp_path / "t" / "notebooks" / "a_note.ipynb").read_text()
    assert 'lab.experiment(\\"a_note\\")' in notebook
    assert "VerdictTable" in notebook
    page = (tmp_path / "t" / "chapters" / "a_note.md").read_text()
    assert page.index(":::{lesson}") < page.index("## Verdicts"), "not within the fold of the lesson"


@pytest.mark.engine
@pytest.mark.long
def test_a_trial_is_measured_and_becomes_a_book_with_a_verdict(tmp_path: Path, benchbook: Any) -> None:
    folder = new(tmp_path, benchbook)
    row(folder, **FILLED | {"quote": QUOTE})
    answer(folder)
    conditions(folder, "T001,trial_seconds,60,60")
    assert "the notebook runs to its end" in inside(folder, "trial", "check", code=0).stdout
    inside(folder, "run", "our_scale", "--profile", "quick", "--quiet", code=0)
    assert len([*(folder / "runs" / "our_scale").glob("*/run.json")]) == 1, "the check's own"
    assert "trial_seconds is 1 where the claim names 60" in inside(folder, "verdicts", "--json").stdout
    inside(folder, "build", "--quiet", code=0)
    html = (folder / "_build" / "html" / "book" / "chapters" / "our_scale.html").read_text()
    assert "T001" in (folder / "_build" / "html" / "book" / "verdicts.html").read_text()
    assert "The row that everybody" not in html


ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "pgbench_scale"


def test_every_claim_can_be_judged_and_is() -> None:
    inside(EXAMPLE, "trial", "check", code=0)
    judged = inside(EXAMPLE, "verdicts", "--json", code=0)
    assert len(json.loads(judged.stdout)) == 3
    assert "not yet run" not in judged.stdout


def test_its_published_run_is_as_it_was_measured() -> None:
    assert "published): whole" in inside(EXAMPLE, "verify").stdout


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The example, to be changed."""
    kept = shutil.ignore_patterns("_build", "runs")
    return Path(shutil.copytree(EXAMPLE, tmp_path / "example", ignore=kept))


def test_a_run_under_other_conditions_than_a_claim_names_leaves_it_open(copy: Path) -> None:
    conditions = copy / "data" / "conditions.csv"
    conditions.write_text(conditions.read_text().replace("T001,clients,16,16", "T001,clients,50,100"))
    found = {each["claim_id"]: each for each in json.loads(inside(copy, "verdicts", "--json").stdout)}
    assert found["T001"]["outcome"] == "open: condition"
    assert "departs from the claim: clients is 16 where the claim names 50 to 100" in found["T001"]["reason"]
    assert "would decide" not in found["T001"]["reason"]
    assert found["T002"]["outcome"] == "holds"
    assert "T001 stays open in the standard profile: clients is 16" in inside(copy, "trial", "check", "--ledger").stderr


def test_a_notebook_that_dies_after_measuring_is_found_by_the_check(copy: Path) -> None:
    path = copy / "notebooks" / "pgbench_scale.ipynb"
    path.write_text(path.read_text().replace("waits", "wait"))
    checked = inside(copy, "trial", "check", code=1)
    assert "notebooks/pgbench_scale.ipynb stopped at cell" in checked.stderr
    assert "KeyError: 'wait'" in checked.stderr


def test_papermills_help_has_its_parameters_too() -> None:
    shown = inspect_notebook(EXAMPLE / "notebooks" / "pgbench_scale.ipynb")
    assert shown["clients"]["inferred_type_name"] == "int"
    assert shown["clients"]["help"] == "pgbench clients where they are many"


@pytest.mark.long
def test_its_book_is_built() -> None:
    inside(EXAMPLE, "build", "--quiet", code=0)


CONTENTS = "chapters:\n  - file: book/chapters/turns\n  - file: book/chapters/cost\n"


@pytest.fixture
def clone(home: Path) -> Path:
    """A project with a place for chapters, and a contents with two of them."""
    (home / "src" / "benchbook" / "chapters").mkdir(parents=True)
    (home / "_toc.yml").write_text(CONTENTS)
    return home


def test_a_chapter_begins_as_another_one(clone: Path, benchbook: Any) -> None:
    benchbook("chapter", "new", "my_turns", "--from", "turns", code=0)
    chapters = clone / "src" / "benchbook" / "chapters"
    begun = page.read(chapters / "my_turns.md")
    assert (begun.front.subject, begun.front.version, begun.front.leads) == ("My turns", 1, False)
    assert begun.front.ids == "fig-my-turns"
    ast.parse((chapters / "my_turns.py").read_text())
    notebook = (clone / "notebooks" / "my_turns.ipynb").read_text()
    assert 'lab.experiment(\\"my_turns\\")' in notebook
    assert "# My turns" in notebook
    assert (clone / "_toc.yml").read_text() == CONTENTS.replace("turns\n", "turns\n  - file: book/chapters/my_turns\n")


@pytest.mark.parametrize(
    ("name", "source", "said"),
    [
        ("turns", "filter_shards", "cannot be called 'turns'"),
        ("My-Turns", "turns", "cannot be called 'My-Turns'"),
        ("my_turns", "lru", "answers claims of its own"),
        ("my_turns", "cost", "measures nothing"),
        ("my_turns", "nothing", "is none of this book"),
    ],
)
def test_what_cannot_be_one_is_refused_before_anything_is_written(
    clone: Path, benchbook: Any, name: str, source: str, said: str
) -> None:
    assert said in benchbook("chapter", "new", name, "--from", source, code=1).stderr
    assert not list((clone / "src").rglob("*.*"))
    assert (clone / "_toc.yml").read_text() == CONTENTS


def test_outside_of_a_clone_a_trial_is_named(home: Path, benchbook: Any) -> None:
    assert "benchbook trial new" in benchbook("chapter", "new", "my_turns", "--from", "turns").stderr


def test_notebooks_are_written_anew_where_they_differ(home: Path, benchbook: Any) -> None:
    path = home / "notebooks" / "turns.ipynb"
    before = path.read_text()
    path.write_text(before.replace("Taking turns", "Taking"))
    assert benchbook("chapter", "notebooks", "turns", "cost").stdout.splitlines() == [str(path)]
    assert path.read_text() == before
    assert benchbook("chapter", "notebooks", "turns").stdout == ""
