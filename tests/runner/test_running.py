"""A run from its plan to its last trial: each trial once, whatever comes between, and never two machines in one run."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sealing import committed

from benchbook import files, provenance, runner
from benchbook.errors import MachineError, StoredRunError
from benchbook.model import Run
from benchbook.runner import canary, queue, running
from benchbook.runner.progress import time_left
from benchbook.store import catalogue, find_unfinished


class Told(runner.Progress):
    """Keeps what it is told, and when the run then expects to end."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.left: list[float | None] = []
        self.done: list[tuple[int, int]] = []
        self.ends: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)

    def prepare(self, what: str, share: float) -> None:
        assert 0 <= share <= 1

    def trial(self, done: int, total: int, name: str, left_s: float | None) -> None:
        self.done.append((done, total))
        self.left.append(left_s)
        self.ends.append(queue.turns()[0].ends)


def run(experiment: Any, told: Told | None = None, fresh: bool = False, **parameters: Any) -> Run:
    wanted = experiment.Parameters.given({"blocks": 3} | parameters)
    return runner.run(experiment, wanted, profile="custom", progress=told, fresh=fresh)


def test_every_configuration_is_measured_once_per_block(experiment: Any) -> None:
    result = run(experiment)
    assert experiment.measured == list(range(9))
    counts = result.trials.groupby(["block", "configuration"]).size()
    assert len(counts) == 9
    assert (counts == 1).all()
    assert result.trials.groupby("block")["seed"].nunique().tolist() == [1, 1, 1]
    assert result.trials["seed"].nunique() == 3
    assert experiment.opened == experiment.closed == 1


def test_the_order_depends_on_the_seed_alone(experiment: Any) -> None:
    def order(**parameters: Any) -> list[tuple[str, int]]:
        trials = run(experiment, fresh=True, **parameters).trials
        return list(zip(trials["configuration"], trials["seed"], strict=True))

    assert order(seed=5) == order(seed=5)
    assert order(seed=5) == order(seed=5, operations=7), "another parameter does not change the order"
    assert order(seed=5) != order(seed=6)


@pytest.mark.parametrize("fail_at", [{0}, {4}, {8}, {1, 4, 5}])
def test_a_run_that_stopped_in_a_trial_is_completed_with_each_trial_once(experiment: Any, fail_at: set[int]) -> None:
    experiment.fail_at = set(fail_at)
    told = Told()
    for _ in range(len(fail_at)):
        with pytest.raises(experiment.stop):
            run(experiment)
        assert experiment.opened == experiment.closed, "the engine is put away"
    result = run(experiment, told)
    assert experiment.measured == list(range(9)), "no trial twice, in the planned order"
    assert [text for text in told.said if "resuming" in text], "the user is told"
    assert result.trials["trial"].tolist() == list(range(9))
    parts = sorted(fail_at)
    assert result.trials["session"].tolist() == [sum(index >= part for part in parts) for index in range(9)]
    assert len(result.provenance["sessions"]) == len(fail_at) + 1
    assert len(catalogue("made_up")) == 1


def test_a_resumed_run_measures_what_an_uninterrupted_one_would_have(experiment: Any) -> None:
    whole = run(experiment)
    experiment.stopped(5, run, fresh=True)
    pieced = run(experiment)
    assert pieced.id != whole.id
    assert pieced.samples.equals(whole.samples)
    columns = ["trial", "block", "configuration", "seed", "p50_ns"]
    assert pieced.trials[columns].equals(whole.trials[columns])


@pytest.mark.parametrize("changed", ["engine_version", "direct_io", "pinned", "processor", "system", "machine_id"])
def test_what_changed_since_the_start_is_never_mixed_into_one_run(
    experiment: Any, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    experiment.stopped(4, run)
    unfinished = catalogue("made_up")[0]
    if changed in experiment.says:
        experiment.says[changed] = "another"
    else:
        host = provenance.host(Path("/tmp"))
        other = "f" * 16 if changed == "machine_id" else "another"
        monkeypatch.setattr(running.provenance, "host", lambda folder: host | {changed: other})
    told = Told()
    result = run(experiment, told)
    assert any(changed in text and unfinished.id in text for text in told.said), "the user learns why"
    assert result.id != unfinished.id
    assert result.trials["session"].unique().tolist() == [0]
    states = {entry.id: entry.record["state"] for entry in catalogue("made_up") if entry.record}
    assert states == {unfinished.id: "measuring", result.id: "complete"}, "nothing is lost"


def test_other_parameters_or_another_version_never_resume_a_run(experiment: Any) -> None:
    experiment.stopped(4, run)
    run(experiment, operations=51)
    experiment.version = 2
    run(experiment)
    states = [entry.record["state"] for entry in catalogue("made_up") if entry.record]
    assert sorted(states) == ["complete", "complete", "measuring"]


def test_a_fresh_run_leaves_the_unfinished_one_alone(experiment: Any) -> None:
    experiment.stopped(4, run)
    before = catalogue("made_up")[0]
    assert run(experiment, fresh=True).id != before.id
    key = experiment.Parameters.given({"blocks": 3}).key("made_up", 1)
    assert find_unfinished("made_up", key).id == before.id


def test_a_damaged_trial_stops_the_resumed_run_before_it_measures(experiment: Any) -> None:
    experiment.stopped(4, run)
    parts = catalogue("made_up")[0].folder / "parts"
    (parts / "00002.parquet").write_bytes(b"")
    with pytest.raises(StoredRunError, match="00002"):
        run(experiment)
    assert experiment.measured == [0, 1, 2, 3]
    (parts / "00002.json").unlink()
    assert run(experiment).trials["trial"].tolist() == list(range(9))
    assert experiment.measured == [0, 1, 2, 3, 2, 4, 5, 6, 7, 8]


def test_an_attempt_of_another_engine_leaves_a_complete_run_the_answer(experiment: Any) -> None:
    whole, told = run(experiment), Told()
    experiment.says["engine_version"] = "2.0"
    experiment.stopped(4, run)
    assert running.made_here(experiment, experiment.Parameters.given({"blocks": 3})) is None
    experiment.says["engine_version"] = "1.0"
    assert run(experiment, told).id == whole.id
    left = running.passed_over(experiment, experiment.Parameters.given({"blocks": 3}))
    assert left.endswith("stays unfinished: another engine or machine began it")
    assert experiment.measured == [*range(9), *range(4)], "nothing is measured again"


def test_what_the_machine_lacks_is_said_before_anything_starts(experiment: Any) -> None:
    experiment.lacks_memory = True
    with pytest.raises(MachineError, match="9 GiB"):
        run(experiment)
    assert experiment.opened == 0
    assert catalogue() == []


def _looked(found: Any) -> list[tuple[int, str, int]]:
    looks = found.canary
    return list(zip(looks["block"], looks["moment"], looks["trial"], strict=True))


def test_the_machine_is_looked_at_before_and_after_every_trial(experiment: Any) -> None:
    found = run(experiment)
    assert _looked(found) == [
        (block, moment, 3 * block + place)
        for block in range(3)
        for moment, place in (("before", 0), ("before", 1), ("before", 2), ("after", 2))
    ], "what is after one trial is before the next"
    assert (found.canary["hash_p50_ns"] > 0).all()
    experiment.stopped(4, run, fresh=True)
    again = _looked(run(experiment))
    assert again[4:8] == [(1, "before", 3), (1, "before", 4), (1, "before", 4), (1, "before", 5)], "it looks anew"


def test_the_arms_of_a_group_are_measured_side_by_side_and_the_machine_is_looked_at_between(experiment: Any) -> None:
    experiment.groups = {"second": "both", "second_again": "both"}
    found = run(experiment)
    assert [len(each) for each in experiment.together] == [2, 2, 2]
    assert sorted(experiment.measured) == list(range(9))
    for group in experiment.together:
        assert group[1] == group[0] + 1
        assert (group[0] // 3, "turns", group[0]) in _looked(found)


def test_where_nothing_takes_turns_a_group_stands_together_and_the_machine_is_looked_at_around_each(
    experiment: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = experiment.session

    @contextmanager
    def one_by_one(parameters: Any, progress: Any) -> Iterator[Any]:
        with session(parameters, progress) as made:
            yield SimpleNamespace(provenance=made.provenance, measure=made.measure)

    monkeypatch.setattr(experiment, "session", one_by_one)
    experiment.groups = {"second": "both", "second_again": "both"}
    found = run(experiment)
    assert not experiment.together
    assert [moment for _, moment, _ in _looked(found)] == ["before", "before", "before", "after"] * 3
    for _, rows in found.trials.sort_values("trial").groupby("block"):
        places = [place for place, name in enumerate(rows["configuration"]) if name != "first"]
        assert places in ([0, 1], [1, 2])


def test_an_arm_that_dies_in_its_turn_ends_alone_and_is_measured_again_alone(experiment: Any) -> None:
    experiment.groups = dict.fromkeys(("first", "second", "second_again"), "all")
    experiment.stopped(4, run)
    assert sorted(experiment.measured) == [0, 1, 2, 3, 5], "the others of its group are stored"
    assert len(run(experiment).trials) == 9
    assert experiment.together[2:] == [[4], [6, 7, 8]]


def test_a_look_at_the_machine_reads_its_disk_and_computes(home: Path, tmp_path: Path) -> None:
    with canary.canary(tmp_path) as bird:
        found = bird.look(3, "after", 7)
        assert bird.glanced(3, 7) is None, "nothing was seen"
        bird.glance()
        bird.glance()
        glanced = bird.glanced(3, 7)
        assert bird.glanced(3, 7) is None, "it was told"
    assert (found["block"], found["moment"], found["trial"]) == (3, "after", 7)
    assert (glanced["moment"], glanced["trial"]) == ("turns", 7)
    for look in (found, glanced):
        assert look["hash_p50_ns"] > 0
        if files.direct_reads(tmp_path):
            assert 0 < look["read_p50_ns"] <= look["read_p99_ns"]
        else:
            assert look["read_p50_ns"] is None, "missing, not 0"


def test_the_number_of_stored_trials_and_the_end_are_told_from_the_first_to_the_last(
    experiment: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "WRITTEN_S", -1.0)
    first, second = Told(), Told()
    experiment.stopped(4, run, told=first)
    assert first.done == [(done, 9) for done in range(5)]
    run(experiment, second)
    assert second.done == [(done, 9) for done in range(4, 10)]
    assert first.left[0] is None, "before the first trial nobody knows"
    assert second.left[-1] == 0
    assert first.ends[0] == "", "nor in the queue"
    assert all(second.ends[1:])
    assert all(left is not None and left >= 0 for left in second.left[1:])


def test_the_time_left_is_each_configurations_own_mean_and_the_overall_mean_for_those_not_seen() -> None:
    assert time_left(["a"], {}) is None
    assert time_left([], {"a": [1.0]}) == 0
    seen = {"a": [1.0, 3.0], "b": [10.0]}
    assert time_left(["a", "b", "a"], seen) == pytest.approx(2 + 10 + 2)
    assert time_left(["c"], seen) == pytest.approx(14 / 3)


def test_a_finished_run_says_where_its_numbers_come_from(experiment: Any) -> None:
    found = run(experiment).provenance
    for name in (*running.SAME, "python", "timer_cost_ns", "lock_sha256", "ledger_sha256", "files", "finished_at"):
        assert name in found
    assert str(Path.home()) not in str(found)
    assert socket.gethostname() not in str(found)


def test_where_git_refuses_a_run_is_measured_and_holds_no_commit_but_why(
    experiment: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    (home / ".git").mkdir()
    (home / ".git" / "config").write_text("[core\n")
    told = Told()
    found = run(experiment, told)
    assert found.provenance["commit"] is None
    assert found.provenance["dirty"] is None
    assert found.provenance["commit_unknown"] == "git refused to answer"
    said = [line for line in told.said if line.startswith("no commit is recorded: ")]
    assert len(said) == 1
    assert "fatal" in said[0]
    assert str(home) not in str(found.provenance)


def test_a_project_that_is_not_that_of_the_running_code_gives_a_run_no_commit(experiment: Any, home: Path) -> None:
    committed(home)
    told = Told()
    found = run(experiment, told)
    assert (found.provenance["commit"], found.provenance["dirty"]) == (None, None)
    assert found.provenance["commit_unknown"] == "the code that ran is not that of the clone"
    assert [line for line in told.said if line.startswith("no commit is recorded: the code that runs lies in ")]
