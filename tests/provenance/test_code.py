"""The hash over the code that measures: it follows imports, and sees neither figures nor other experiments."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import benchbook
from benchbook.provenance import measurement_sha256
from benchbook.provenance.code import dirty

MEASURE = "benchbook.experiments.hot_cold_keys.measure"


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package whose files may be changed."""
    package = tmp_path / "benchbook"
    shutil.copytree(Path(benchbook.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(benchbook, "__file__", str(package / "__init__.py"))
    return package


@pytest.mark.parametrize(
    "name",
    [
        "experiments/hot_cold_keys/measure.py",
        "experiments/hot_cold_keys/client.py",
        "experiments/hot_cold_keys/parameters.py",
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
        file.write("# changed\n")
    assert measurement_sha256([MEASURE]) != before


@pytest.mark.parametrize("name", ["experiments/hot_cold_keys/prose.py", "figures/theme.py", "claims/rules.py"])
def test_a_change_of_how_it_is_shown_does_not(copied: Path, name: str) -> None:
    before = measurement_sha256([MEASURE])
    with (copied / name).open("a") as file:
        file.write("# changed\n")
    assert measurement_sha256([MEASURE]) == before


def test_the_order_of_the_modules_named_does_not_matter() -> None:
    runner = "benchbook.runner.running"
    assert measurement_sha256([MEASURE, runner]) == measurement_sha256([runner, MEASURE])
    assert measurement_sha256([MEASURE, runner]) != measurement_sha256([MEASURE])


def test_code_that_no_commit_holds_is_told_changed_or_new(tmp_path: Path) -> None:
    assert dirty(tmp_path) is None

    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "src").mkdir()
    module = tmp_path / "src" / "one.py"
    module.write_text("a = 1\n")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "one")
    (tmp_path / "notes.txt").write_text("no code\n")
    assert dirty(tmp_path) is False
    (tmp_path / "src" / "two.py").write_text("b = 2\n")
    assert dirty(tmp_path) is True
    (tmp_path / "src" / "two.py").unlink()
    module.write_text("a = 2\n")
    assert dirty(tmp_path) is True
    assert dirty(tmp_path, but=Path("src/one.py")) is False
