"""Growth of the build: which chapters a copy has, and a copy that really builds."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from benchbook.bench import building
from benchbook.errors import BenchbookError

ROOT = Path(__file__).parents[2]


def files(contents: object) -> list[str]:
    if isinstance(contents, dict):
        own = [contents["file"]] if "file" in contents else []
        return own + [name for value in contents.values() for name in files(value)]
    return [name for each in contents for name in files(each)] if isinstance(contents, list) else []


def test_a_table_of_contents_keeps_all_prose_and_the_chapters_asked_for() -> None:
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text())
    kept = building.with_chapters(contents, ["calibration"])
    prose = [name for name in files(contents) if not name.startswith("book/chapters/")]
    assert [name for name in files(kept) if not name.startswith("book/chapters/")] == prose
    assert [name for name in files(kept) if name.startswith("book/chapters/")] == ["book/chapters/calibration"]
    assert all(part["chapters"] for part in kept["parts"])
    assert building.with_chapters(contents, [name.split("/")[-1] for name in files(contents)]) == contents


def test_published_chapters_come_first_and_have_something_to_show() -> None:
    names = building.published_chapters(ROOT)
    published = [name for name in names if any((ROOT / "data" / "published" / name).glob("*/run.json"))]
    assert published
    assert names[: len(published)] == published
    assert len(set(names)) == len(names)


def test_a_project_without_published_runs_has_no_edition_to_build(home: Path) -> None:
    with pytest.raises(BenchbookError, match="no run is published"):
        building.measure(building.Sizes(), lambda line: None)


def test_a_copy_has_the_chapters_asked_for_and_nothing_that_was_built(tmp_path: Path) -> None:
    copy = building.Copy(ROOT, tmp_path / "copy", ["calibration"])
    assert [path.stem for path in (copy.folder / "notebooks").glob("*.ipynb")] == ["calibration"]
    assert not (copy.folder / "_build").exists()
    assert not (copy.folder / "book" / "chapters").exists()
    assert (copy.folder / "data" / "claims.csv").read_bytes() == (ROOT / "data" / "claims.csv").read_bytes()
