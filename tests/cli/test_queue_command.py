"""``queue`` says who measures and who waits; what Ctrl-C says names the run that was measured, and a sweep's points."""

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from sealing import rewrite

from benchbook import lab, project, runner, store
from benchbook.cli import sweeping
from benchbook.cli.progress import RunProgress
from benchbook.reuse.sweep import Point
from benchbook.runner import Progress, lock_file, queue
from benchbook.runner.lock import host_lock


def test_nobody_measures_and_nobody_waits(home: Path, benchbook: Any) -> None:
    assert "nobody measures" in benchbook("queue").stdout
    assert json.loads(benchbook("queue", "--json").stdout) == {"measured": False, "places": []}


def test_who_measures_and_who_waits_are_listed(home: Path, benchbook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["benchbook", "run", "lru"])
    with host_lock(Progress()) as place:
        place.expect(600)
        monkeypatch.setattr("sys.argv", ["benchbook", "sweep", "read_path"])
        waits = queue.taken()
        said = benchbook("queue").stdout.splitlines()[2:]
        found = json.loads(benchbook("queue", "--json").stdout)
        waits.leave()
    assert [line.split()[:2] for line in said] == [["1", "measuring"], ["2", "waiting"]]
    assert said[0].endswith("benchbook run lru")
    assert said[1].endswith("benchbook sweep read_path")
    assert found["measured"]
    first, second = found["places"]
    assert first["command"] == "benchbook run lru"
    assert first["came"] <= first["measuring_since"] < first["expected_end"]
    assert (second["measuring_since"], second["expected_end"]) == (None, None)


def test_a_holder_that_has_no_place_is_told_of(home: Path, benchbook: Any) -> None:
    descriptor = lock_file.taken()
    assert "says nothing of itself" in benchbook("queue").stdout
    assert json.loads(benchbook("queue", "--json").stdout) == {"measured": True, "places": []}
    os.close(descriptor)


def test_clean_without_a_server_is_of_this_machine(home: Path, benchbook: Any) -> None:
    assert benchbook("clean", code=0).stdout


@pytest.mark.engine
@pytest.mark.xdist_group("test_run")
def test_ctrl_c_names_the_run_that_was_measured_and_not_a_newer_one_beside_it(
    home: Path, tiny_run: tuple[Any, Path], benchbook: Any, tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when another node, which shares the folder, has begun and left one of the same parameters."""
    shutil.copytree(tiny_run[1], project.runs(), dirs_exist_ok=True)
    [whole] = store.catalogue("hot_cold_keys")
    newer = whole.folder.with_name(f"{whole.folder.name}-2")
    shutil.copytree(whole.folder, newer)
    for folder, trials in ((whole.folder, 2), (newer, 5)):
        rewrite(folder, state="measuring", id=folder.name)
        (folder / "parts").mkdir(exist_ok=True)
        for number in range(trials):
            (folder / "parts" / f"{number}.json").write_text("{}")

    def stopped(module: Any, parameters: Any, progress: RunProgress, **_: Any) -> None:
        progress.opened(whole.id)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(lab, "obtain", stopped)
    monkeypatch.setattr(runner, "made_here", lambda *_: None)
    said = benchbook("run", "hot_cold_keys", "-f", tiny).stderr
    assert "stopped: 2 of " in said
    assert f"trials of {whole.id} are stored" in said
    assert newer.name not in said.partition("stopped")[2]


def test_ctrl_c_in_a_sweep_says_how_many_points_are_complete(
    home: Path, benchbook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored: dict[str, int] = {}

    def obtain(module: Any, point: Point, more: int | None, *, quiet: bool) -> None:
        if stored:
            raise KeyboardInterrupt("stopped: no trial of lru is stored yet; the same command starts again")
        stored[point.words] = 2

    monkeypatch.setattr(sweeping, "_obtain", obtain)
    monkeypatch.setattr(sweeping, "_check", lambda *_: None)
    monkeypatch.setattr(Point, "blocks", lambda self, module: stored.get(self.words, 0))
    grid = ("-g", "zipf_exponent=0.6,0.8,0.99", "--profile", "quick", "--blocks", "2")
    *_, said = benchbook("sweep", "lru", *grid, code=130).stderr.splitlines()
    assert said.startswith("stopped: 1 of 3 points complete, 2 of 6 blocks stored; at zipf_exponent=")
    assert said.endswith("no trial of lru is stored yet; the same command goes on")
    assert queue.turns() == [], "its place is another's"
