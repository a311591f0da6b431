"""Parts of the measurement: contestants in rounds that do the same work, and commands by themselves."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml
from eventually import eventually, gone

from benchbook import statistics
from benchbook.bench import analysis, building, programs
from benchbook.bench.measured import SMALL, interleaved, timed
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


def contestants(log: list[str]) -> dict[str, Callable[[], float]]:
    def of(name: str) -> Callable[[], float]:
        def run() -> float:
            log.append(name)
            return float(len(log))

        return run

    return {name: of(name) for name in "abc"}


def test_every_round_runs_each_contestant_once_in_an_order_of_its_own() -> None:
    log: list[str] = []
    found = interleaved(contestants(log), 8, seed=1, say=lambda line: None, warm_ups=1)
    rounds = ["".join(log[start : start + 3]) for start in range(0, len(log), 3)]
    assert len(rounds) == 9
    assert {"".join(sorted(each)) for each in rounds} == {"abc"}
    assert len(set(rounds)) > 1, "the order is drawn anew"
    for name in "abc":
        places = [place + 1 for place, each in enumerate(log) if each == name]
        assert found[name] == [float(place) for place in places[1:]], "the first round only warms"


def test_the_same_seed_gives_the_same_order() -> None:
    first: list[str] = []
    second: list[str] = []
    for log in (first, second):
        interleaved(contestants(log), 5, seed=7, say=lambda line: None)
    assert first == second


def test_it_says_how_far_it_is() -> None:
    said: list[str] = []
    interleaved(contestants([]), 2, seed=1, say=said.append, warm_ups=1)
    assert said == ["warming up, 1 to go", "round 1 of 2", "round 2 of 2"]


def test_a_timed_call_takes_time() -> None:
    calls: list[int] = []
    assert timed(lambda: calls.append(1))() > 0
    assert calls == [1]


def test_a_command_that_fails_is_told_in_its_last_words(tmp_path: Path) -> None:
    failing = [sys.executable, "-c", "import sys; print('first'); sys.exit('no disk left')"]
    with pytest.raises(BenchbookError, match="no disk left"):
        programs.seconds(failing, tmp_path, {}, timeout_s=60)


def test_a_command_that_does_not_end_is_given_up_and_nothing_stays_behind(tmp_path: Path) -> None:
    script = "sleep 300 & echo $! >child; exec sleep 300"
    with pytest.raises(BenchbookError, match="did not end"):
        programs.seconds(["sh", "-c", script], tmp_path, {}, timeout_s=1.0)
    child = int((tmp_path / "child").read_text())
    assert eventually(lambda: gone(child))


def test_only_what_is_given_steers_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BENCHBOOK_HOME", "MAKEFLAGS", "PYTHONPATH", "VIRTUAL_ENV"):
        monkeypatch.setenv(name, "elsewhere")
    monkeypatch.setenv("HARMLESS", "kept")
    found = programs.environment({"BENCHBOOK_HOME": "here"})
    assert found["BENCHBOOK_HOME"] == "here"
    assert found["HARMLESS"] == "kept"
    assert not {"MAKEFLAGS", "PYTHONPATH", "VIRTUAL_ENV"} & set(found)
    writing = [sys.executable, "-c", "import os, pathlib; pathlib.Path('said').write_text(os.environ['X'])"]
    assert programs.seconds(writing, tmp_path, {"X": "there"}, timeout_s=60) > 0
    assert (tmp_path / "said").read_text() == "there"
