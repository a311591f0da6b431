"""Parts of the measurement: their contestants do the same work, and what cannot be compared stops the comparison."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from benchbook import statistics
from benchbook.bench import analysis, building
from benchbook.bench.measured import SMALL
from benchbook.errors import BenchbookError

LATENCIES = np.random.default_rng(3).lognormal(13, 0.8, 120_000).astype(np.int64)


def test_numpy_and_pandas_give_the_books_numbers() -> None:
    ours = np.array(list(statistics.describe(LATENCIES).values()), dtype=float)
    for theirs in (analysis.plain, analysis.one_by_one, analysis.by_pandas):
        np.testing.assert_allclose(theirs(LATENCIES), ours, rtol=1e-9)


def test_the_resampling_in_whole_arrays_gives_the_interval_of_the_book() -> None:
    timeline = 100 + np.random.default_rng(4).standard_normal(400)
    estimate = statistics.stationary_mean(timeline, resamples=4_000)
    low, high = analysis.resampled(timeline, 4_000)
    assert low == pytest.approx(estimate.low, abs=0.2 * (estimate.high - estimate.low))
    assert high == pytest.approx(estimate.high, abs=0.2 * (estimate.high - estimate.low))


def test_another_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "plain", lambda latencies: np.zeros(8))
    with pytest.raises(BenchbookError, match="numpy finds"):
        analysis.measure(SMALL, lambda line: None)


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
