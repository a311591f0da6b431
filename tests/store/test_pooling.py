"""Several executions of one plan as one run: nothing is lost, no two trials are taken for one, each comes out again."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
import sealing

from benchbook import lab, project
from benchbook.errors import BenchbookError
from benchbook.experiments import chosen_runs
from benchbook.model import Run
from benchbook.parameters.kinds import Kind
from benchbook.store import parts, pooled, publish, read_run, schema, without

KEY = "0123456789ab"


@pytest.fixture
def make(make_run: Any) -> Any:
    """A stored run of two blocks that began in this hour, read again."""

    def made(hour: int) -> Run:
        return read_run(at(make_run(), hour), published=False)

    return made


def at(folder: Path, hour: int) -> Path:
    """The run with another beginning and, in its second block, a canary of its own."""
    record = json.loads((folder / schema.RUN).read_text())
    record["started_at"] = f"2026-01-17T{hour:02}:00:00+00:00"
    record["canary"] += [{"block": 1, "moment": "end", "read_p50_ns": 1.5, "hash_p50_ns": float(hour)}]
    sealing.store(folder, record)
    return folder


def test_a_single_run_stays_as_it_is(make: Any) -> None:
    run = make(10)
    assert pooled([run]) is run
    assert run.pool == ()
    assert [each.id for each in run.parts] == [run.id]
    assert parts(run)[0] is run


def test_every_trial_sample_and_look_is_kept_and_no_two_are_taken_for_one(make: Any) -> None:
    early, late = make(10), make(14)
    again = late.trials.assign(session=[0, 0, 1, 1])  # it was interrupted between its blocks
    one = pooled([early, replace(late, trials=again)])
    assert one.blocks == 4
    assert one.trials["trial"].tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert one.trials["block"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert one.trials["session"].tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    assert one.canary["block"].tolist() == [0, 1, 2, 3]
    assert one.canary["hash_p50_ns"].tolist() == [5.0, 10.0, 5.0, 14.0]
    assert len(one.samples) == len(early.samples) + len(late.samples)
    for run, first in ((early, 0), (late, 4)):
        for trial in range(4):
            own = one.samples[one.samples["trial"] == trial + first]
            theirs = run.samples[run.samples["trial"] == trial]
            assert own["latency_ns"].tolist() == theirs["latency_ns"].tolist()
            assert own["series"].tolist() == theirs["series"].tolist()
    for name in ("configuration", "seed", "p50_ns", "cache_state"):
        assert one.trials[name].tolist() == [*early.trials[name], *late.trials[name]]
    assert one.trials["p999_ns"].isna().all(), "what is missing stays missing"


def test_it_is_known_by_its_newest_run_and_names_all_of_them_in_the_order_of_time(make: Any) -> None:
    early, middle, late = make(10), make(12), make(14)
    one = pooled([late, early, middle])
    assert one.id == late.id
    assert one.provenance == late.provenance
    assert [each.id for each in one.parts] == [early.id, middle.id, late.id]
    assert [each.blocks for each in one.parts] == [2, 2, 2]
    assert [each.provenance["started_at"][11:13] for each in one.parts] == ["10", "12", "14"]


def test_each_run_comes_out_again_as_it_went_in(make: Any) -> None:
    runs = [make(10), make(12), make(14)]
    one = pooled(runs)
    for place, run in enumerate(runs):
        same(parts(one)[place], run)
    same(pooled(parts(one)), one)


def test_blocks_are_left_out_as_if_they_had_not_been_measured(make: Any) -> None:
    one = pooled([make(10), make(14)])
    rest = without(one, {1})
    assert rest.blocks == 3
    assert rest.trials["block"].tolist() == [0, 0, 1, 1, 2, 2]
    kept = one.trials[one.trials["block"] != 1]
    assert rest.trials["p50_ns"].tolist() == kept["p50_ns"].tolist()
    assert set(rest.samples["trial"]) == set(kept["trial"]) & set(one.samples["trial"])
    assert rest.canary["hash_p50_ns"].tolist() == [5.0, 5.0, 14.0]
    assert rest.canary["block"].tolist() == [0, 1, 2]
    with pytest.raises(BenchbookError, match="no block"):
        without(one, {0, 1, 2, 3})


def same(one: Run, other: Run) -> None:
    """The same run, whatever the index of its tables."""
    for name in ("trials", "samples", "canary"):
        pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name))
    empty: dict[str, Any] = dict.fromkeys(("trials", "samples", "canary"))
    assert replace(one, **empty) == replace(other, **empty)


def test_runs_without_a_canary_or_without_samples_are_pooled_too(make: Any) -> None:
    early, late = make(10), make(14)
    blind = replace(early, canary=pd.DataFrame(), samples=early.samples.iloc[:0])
    one = pooled([blind, late])
    assert one.canary["block"].tolist() == [2, 3]
    assert set(one.samples["trial"]) == {4, 5, 6, 7}
    assert len(parts(one)[0].canary) == len(parts(one)[0].samples) == 0
    neither = pooled([blind, replace(late, canary=pd.DataFrame())])
    assert len(neither.canary) == 0
    assert len(parts(neither)[1].trials) == 4


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"parameters": {"size": 4, "shares": [1, 2]}}, "another parameters"),
        ({"measurement_version": 2}, "another measurement version"),
        ({"experiment": "another"}, "another experiment"),
    ],
)
def test_runs_of_another_plan_are_refused(make: Any, changed: dict[str, Any], told: str) -> None:
    early, late = make(10), make(14)
    with pytest.raises(BenchbookError, match=told) as caught:
        pooled([early, replace(late, **changed)])
    assert early.id in caught.value.problem
    assert late.id in caught.value.problem


def test_no_runs_are_no_run() -> None:
    with pytest.raises(BenchbookError, match="no runs"):
        pooled([])


# what stands for a chapter, and answers a notebook

WANTED: Any = SimpleNamespace(key=lambda name, version: KEY)


def module(kind: Kind = Kind.MEASUREMENT) -> Any:
    """It needs the engine that the stored runs are of."""
    needs = SimpleNamespace(engine=lambda: sealing.PROVENANCE)
    return SimpleNamespace(name="made_up", version=1, kind=kind, needs=lambda _: needs)


def test_two_published_runs_of_one_key_stand_as_one(make_run: Any) -> None:
    first, second = (publish(at(make_run(), hour).name) for hour in (10, 14))
    publish(make_run("ffffffffffff").name)
    found = chosen_runs.pooled(module(), KEY, public=True)
    assert [each.id for each in found.parts] == [first.name, second.name]
    assert found.published
    assert found.blocks == 4


def test_runs_of_this_machine_and_published_ones_are_not_mixed(make_run: Any) -> None:
    mine, cited = at(make_run(), 10), at(make_run(), 14)
    publish(cited.name)
    for published, names in ((True, {cited.name}), (False, {mine.name, cited.name})):
        found = chosen_runs.pooled(module(), KEY, public=published)
        assert {each.id for each in found.parts} == names
        assert found.published is published


def test_of_a_simulations_runs_the_newest_counts_alone(make_run: Any) -> None:
    _, second = (publish(at(make_run(), hour).name) for hour in (10, 14))
    found = chosen_runs.pooled(module(Kind.SIMULATION), KEY, public=True)
    assert (found.id, found.pool, found.blocks) == (second.name, (), 2)


def test_an_unfinished_run_is_no_part(make_run: Any, new_writer: Any) -> None:
    whole = make_run()
    new_writer()
    found = chosen_runs.pooled(module(), KEY, public=False)
    assert [each.id for each in found.parts] == [whole.name]
    assert chosen_runs.pooled(module(), "ffffffffffff", public=False) is None


def test_what_answers_a_notebook_is_all_runs_of_the_newest_ones_kind(
    make_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for hour in (10, 14):
        publish(at(make_run(), hour).name)
    found = lab.find(module(), WANTED)
    assert found.published
    assert len(found.parts) == 2
    newer = at(make_run(), 20)
    found = lab.find(module(), WANTED)
    assert not found.published
    assert found.id == newer.name
    assert len(found.parts) == 3, "two of them are published as well"
    monkeypatch.setenv(lab.SOURCE, "published")
    cited = lab.find(module(), WANTED)
    assert cited.published
    assert project.published().joinpath("made_up", cited.id).is_dir()


def test_runs_are_pooled_by_the_version_of_their_measurement(make_run: Any) -> None:
    before, earlier, later = (at(make_run(), hour) for hour in (10, 12, 14))
    sealing.rewrite(before, measurement_version=0)
    record = json.loads((earlier / schema.RUN).read_text())
    record["provenance"]["measurement_sha256"] = "f" * 64  # as runs of before 2026-11-29 have it
    sealing.store(earlier, record)
    found = chosen_runs.pooled(module(), KEY, public=False)
    assert [each.id for each in found.parts] == [earlier.name, later.name]
