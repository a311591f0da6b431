"""A chapter is executed again whenever what it executes has changed, and not when only another's has."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import benchbook
from benchbook import files, lab, project
from benchbook.book.assembly import chapter_code
from benchbook.book.assembly.chapter_plan import Shown, plan
from benchbook.book.records import inputs
from benchbook.parameters.kinds import Kind

ROOT = Path(__file__).parents[2]
WITNESS = Path(__file__).with_name("execution_witness.py")
NOTEBOOKS = {path.stem: path for path in project.of_chapters(ROOT)}
ONE = "alex_rocksdb"
QUOTES = ("cliff_reanalysis", "rounds_reanalysis")
"""Chapters that quote claims which other chapters judge."""
SAMPLE = (ONE, "cost")
"""Chapters of which every test run looks what they load and read: one that is measured, and one that is not."""


def code() -> dict[str, dict[str, str]]:
    read = chapter_code.reader()
    return {name: chapter_code.of_notebook(path, read) for name, path in NOTEBOOKS.items()}


def executed_again(package: Path, *names: str) -> set[str]:
    """The chapters that a change of these files changes."""
    before = code()
    for name in names:
        with (package / name).open("a") as file:
            file.write("CHANGED = 1\n")
    after = code()
    return {each for each in NOTEBOOKS if before[each] != after[each]}


CHANGED = {ONE: "alex_rocksdb.md", "lru": "lru.py", "cost": "cost.md"}
"""By chapter the file that is changed: its module or its page."""


def test_a_change_within_a_chapter_concerns_it_alone(copied: Path) -> None:
    assert executed_again(copied, *(f"chapters/{file}" for file in CHANGED.values())) == {*CHANGED}


ALL = (
    "__init__.py",
    "experiments/manifest.py",
    "statistics/effects.py",
    "store/pooling.py",
    "book/assembly/execution.py",
)


@pytest.mark.parametrize("name", ALL)
def test_a_change_of_what_all_are_made_with_concerns_all(copied: Path, name: str) -> None:
    assert executed_again(copied, name) == set(NOTEBOOKS)


OUTSIDE = ("book/pages/runs.py", "book/assembly/assemble.py", "cli/report.py", "doctor/machine.py")


def test_a_change_of_what_no_chapter_executes_concerns_none(copied: Path) -> None:
    assert all((copied / name).is_file() for name in OUTSIDE)
    assert executed_again(copied, *OUTSIDE) == set()


def test_an_engine_concerns_the_chapters_that_measure_with_it(copied: Path) -> None:
    again = executed_again(copied, "engines/badger.py")
    assert {"cache_sizing", "label_order"} <= again
    assert not {"cost", "calibration", "shared_buffers", ONE} & again


def test_a_chapters_key_changes_with_its_code_and_no_others(copied: Path) -> None:
    before = {each.experiment: (each.key, each.basis) for each in plan(ROOT, Shown(edition=True))}
    with (copied / "chapters" / f"{ONE}.md").open("a") as file:
        file.write("Changed.\n")
    after = {each.experiment: (each.key, each.basis) for each in plan(ROOT, Shown(edition=True))}
    assert [name for name in before if before[name][0] != after[name][0]] == [ONE]
    assert [name for name in before if before[name][1] != after[name][1]] == [ONE]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_chapters_module_and_page_count(name: str) -> None:
    found = set(chapter_code.of_notebook(NOTEBOOKS[name], chapter_code.reader()))
    assert {f"chapters/{name}.md", "chapters/__init__.py"} <= found
    assert {f"chapters/{name}.py", f"chapters/{name}/__init__.py"} & found


def test_a_notebook_that_names_another_package_counts_that_too(tmp_path: Path) -> None:
    def found(*sources: str) -> set[str]:
        cells = [{"cell_type": "code", "source": [*source.splitlines(keepends=True)]} for source in sources]
        path = tmp_path / "one.ipynb"
        path.write_text(json.dumps({"cells": cells}))
        return set(chapter_code.of_notebook(path, chapter_code.reader()))

    plain = found("size = 1", "%matplotlib inline")
    assert "cli/report.py" not in plain
    assert "cli/report.py" in found("size = 1", "%time 1\nfrom benchbook.cli import report")
    (tmp_path / "one.ipynb").write_text("")
    assert set(chapter_code.of_notebook(tmp_path / "one.ipynb", chapter_code.reader())) == plain


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=() if each in SAMPLE else pytest.mark.long) for each in NOTEBOOKS]
)
def test_what_an_execution_loads_and_reads_is_part_of_its_key(name: str) -> None:
    if lab.experiment(name).kind is Kind.MEASUREMENT and not (ROOT / "data" / "published" / name).exists():
        pytest.skip(f"no run of {name} is published yet")
    chapter = next(each for each in plan(ROOT, Shown(edition=True)) if each.experiment == name)
    environment = {"BENCHBOOK_HOME": str(ROOT), "BENCHBOOK_SOURCE": "published", "BENCHBOOK_MEASURE": "never"}
    command = [sys.executable, str(WITNESS), str(chapter.notebook), json.dumps(chapter.parameters)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, check=False)
    assert done.returncode == 0, done.stderr
    witness = json.loads(done.stdout.splitlines()[-1])
    package = Path(benchbook.__file__).parent
    loaded = {Path(path).relative_to(package).as_posix() for path in witness["loaded"]}
    assert "lab.py" in loaded
    assert loaded - set(chapter_code.of_notebook(chapter.notebook, chapter_code.reader())) == set()

    data = ROOT / "data"
    read = {Path(path) for path in witness["read"] if Path(path).is_relative_to(data)}
    reads = bool(lab.experiment(name).answers.given) or name in QUOTES
    assert (data / "claims.csv" in read) is reads, "the ledger counts for whoever judges"
    counted = {data / path for path in inputs.of_code(ROOT, {})["judged with"]}
    own = (name, *lab.experiment(name).reads)
    of_runs = {path for path in read if any(path.is_relative_to(data / "published" / each) for each in own)}
    quiet = set(data.glob("published/*/*/run.json"))  # by the levels that they give
    sums = {data / "published" / "SHA256SUMS"}  # every build asks by itself whether published runs are whole
    assert read - counted - of_runs - quiet - sums == set()


def test_the_hashes_are_those_of_the_files() -> None:
    package = Path(benchbook.__file__).parent
    found = code()[ONE]
    assert {path: files.sha256(package / path) for path in found} == found
