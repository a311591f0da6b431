"""A released version stands for one state of the published runs; a development version for none."""

import tomllib
from pathlib import Path

import pytest

from benchbook.book.records import references, versions
from benchbook.errors import BenchbookError

ROOT = Path(__file__).parents[2]
HEAD = "version,date,data_sha256\n"
LISTED = f"{'0' * 64}  a/k-20260102T030405/run.json\n{'0' * 64}  b/k-20251231T235959/run.json\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "data" / "published").mkdir(parents=True)
    (tmp_path / "data" / "published" / "SHA256SUMS").write_text(LISTED)
    return tmp_path


def test_the_version_of_the_package_stands_for_the_runs_that_are_published_here() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    versions.check(ROOT, project["version"])


def test_published_runs_that_change_need_another_version(root: Path) -> None:
    with pytest.raises(BenchbookError, match=r"1\.0\.0 is a released version and has no line"):
        versions.check(root, "1.0.0")
    versions.release(root, "1.0.0", "2026-01-03")
    versions.check(root, "1.0.0")
    assert versions.cited(root, "1.0.0") == "1.0.0"
    (root / "data" / "published" / "SHA256SUMS").write_text(LISTED.replace("b/k", "c/k"))
    with pytest.raises(BenchbookError, match=r"1\.0\.0 stands for the data .* and the published runs are") as told:
        versions.check(root, "1.0.0")
    assert "development version" in told.value.mend
    versions.check(root, "1.1.0.dev0")


def test_the_same_data_may_be_released_again_and_no_version_twice(root: Path) -> None:
    versions.release(root, "1.0.0", "2026-01-03")
    versions.release(root, "1.0.1", "2026-01-04")
    versions.release(root, "1.0.1", "2026-01-05")
    versions.release(root, "1.1.0.dev0", "2026-01-06")
    found = versions.released(root)
    assert {each.version: each.date for each in found.values()} == {"1.0.0": "2026-01-03", "1.0.1": "2026-01-04"}
    assert len({each.data_sha256 for each in found.values()}) == 1


def test_what_is_cited_names_the_data_where_the_version_does_not(root: Path, tmp_path: Path) -> None:
    state = versions.state(root)[:12]
    assert versions.cited(root, "1.1.0.dev0") == f"1.1.0.dev0, data {state}"
    assert versions.cited(root, "1.0.0") == f"1.0.0, data {state}", "it was never released with these"
    assert versions.cited(tmp_path / "elsewhere", "1.0.0") == "1.0.0", "there are no data"


def test_a_development_version_is_dated_by_its_newest_run(root: Path) -> None:
    (root / "CITATION.cff").write_text("title: T\nversion: 1.1.0.dev0\nauthors:\n  - name: A\n")
    assert versions.last_day(root) == references.day(root) == "2026-01-02"
    (root / "data" / "published" / "SHA256SUMS").unlink()
    assert versions.state(root) == versions.last_day(root) == ""
    with pytest.raises(BenchbookError, match="no date-released"):
        references.day(root)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (f"1.0.0,2026-01-03,{'a' * 64}\n1.0.0,2026-01-04,{'b' * 64}\n", r"has 1\.0\.0 twice"),
        (f"1.0.0.dev1,2026-01-03,{'a' * 64}\n", r"lists 1\.0\.0\.dev1"),
        ("1.0.0,2026-01-03,short\n", "no SHA-256"),
        (f"1.0.0,yesterday,{'a' * 64}\n", "no date"),
        (f"1.0.0,2026-01-03,{'a' * 64},more\n", "other columns"),
    ],
)
def test_a_list_that_cannot_be_is_refused(root: Path, lines: str, words: str) -> None:
    (root / versions.FILE).write_text(HEAD + lines)
    with pytest.raises(BenchbookError, match=words):
        versions.released(root)
