"""How far a machine moved during a run: quiet levels of processors, spreads, and what a run's canary makes of both."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from planting import visits
from sealing import PROVENANCE, write_run

from benchbook import lab
from benchbook.model import Run
from benchbook.numbers import environment, host_kinds
from benchbook.parameters.kinds import Kind
from benchbook.statistics.movement import FLOOR

ROOT = Path(__file__).parents[2]
SOURCE = sorted((ROOT / "data" / "published" / "hot_cold_keys").iterdir())[-1]
HASH, READ = environment.HASHING, environment.READING
OWN, OTHER = {"processor": "one", "cores": 2}, {"processor": "another", "cores": 2}
QUIET_NS = {HASH: 574_000.0, READ: 20_000.0}


def looks(
    blocks: int, spread: float, seed: int = 1, *, factor: float = 1.0, trials: bool = False, read: float | None = None
) -> pd.DataFrame:
    """Two looks a block at a machine that is so many times as slow as a quiet one; read: the disk's own factor."""
    generator = np.random.default_rng(seed)

    def reading(name: str, times: float) -> float:
        return float(QUIET_NS[name] * times * np.exp(spread * generator.normal()))

    of_trial = {"trial": np.arange(blocks).repeat(2)} if trials else {}
    moments = [(block, moment) for block in range(blocks) for moment in ("start", "end")]
    rows = [(*each, reading(HASH, factor), reading(READ, read or factor)) for each in moments]
    return pd.DataFrame(rows, columns=["block", "moment", HASH, READ]).assign(**of_trial)


def store_looks(home: Path, canary: pd.DataFrame, provenance: dict[str, Any], *, local: bool = False) -> Path:
    """A run's record with these looks, published or of this machine alone."""
    identity = f"r{len(list(home.rglob('run.json')))}"
    found = json.loads(canary.to_json(orient="records"))
    return write_run(
        home, "made_up", identity, published=not local, provenance=PROVENANCE | provenance, canary=found,
        blocks=len(canary),
    )  # fmt: skip


@pytest.fixture
def published_noise_floor(home: Path) -> float:
    """A published run on a quiet machine whose canary moves by some percent; returns the spread of its hashing."""
    canary = looks(30, 0.03)
    write_run(
        home, "noise_floor", SOURCE.name, published=True, provenance=PROVENANCE | OWN, blocks=30,
        canary=canary.to_dict("records"),
    )  # fmt: skip
    return environment.spreads(canary)[HASH]


def run_with(canary: pd.DataFrame, provenance: dict[str, Any] = OWN, *, published: bool = True) -> Run:
    blocks = int(canary["block"].max()) + 1
    trials = pd.DataFrame({"trial": range(blocks), "block": range(blocks), "session": 0})
    return Run(
        "r", "made_up", 1, {}, "custom", 1, blocks, provenance, trials,
        pd.DataFrame(columns=["trial", "series", "latency_ns"]), canary, published,
    )  # fmt: skip


# what a run's canary makes of it

Sessions = list[tuple[dict[str, Any], dict[str, Any]]]
"""How the looks of each are, and its provenance."""
STILL: dict[str, Any] = {"spread": 0.003, "trials": True, "factor": 0.97}
BESIDE: dict[str, Any] = STILL | {"trials": False}
THIRD = {"processor": "a third"}


def pooled(sessions: Sessions) -> Run:
    runs = [run_with(looks(8, **({"spread": 0.0} | made)), where) for made, where in sessions]
    return visits(*runs) if len(runs) > 1 else runs[0]


@pytest.mark.parametrize(
    ("quiet", "sessions", "device", "w", "said"),
    [
        ([], [({"trials": True}, OWN)], False, FLOOR, "is when quiet is not known (hashing 1 MiB)"),
        ([OWN], [({"trials": True}, OWN)], False, FLOOR, "times its quiet level"),
        ([OWN], [({"factor": 1.6, "trials": True}, OWN)], False, math.log(1.6), "stood at 1.60 times its quiet level"),
        ([OWN], [({"factor": 1 / 1.6, "trials": True}, OWN)], False, math.log(1.6), "stood at 0.62 times its quiet"),
        ([OWN], [({"factor": 1.3, "read": 2.0}, OWN)], False, math.log(1.3), ""),
        ([OWN], [({"factor": 1.3, "read": 2.0}, OWN)], True, math.log(2), "(direct 8 KiB reads)"),
        ([OWN], [({"factor": each}, OWN) for each in (1.5, 1.0, 1.9, 1.2)], False, math.log(1.9), ""),
        ([OWN, OTHER], [({}, OWN), ({"factor": 1.4 * 1.3}, OTHER)], False, math.log(1.3), ""),
        ([OWN], [({}, OWN), ({}, THIRD)], False, FLOOR, "quiet is not known"),
    ],
)
def test_a_run_moved_as_far_as_its_worst_session_stood_from_its_own_processors_quiet_level(
    home: Path, quiet: list[dict[str, Any]], sessions: Sessions, device: bool, w: float, said: str
) -> None:
    for each in quiet:
        store_looks(home, looks(20, 0.0, factor=1.4 if each is OTHER else 1.0), each)
    found = environment.movement(pooled(sessions), device=device)
    assert found.w == pytest.approx(w)
    assert said in found.reason


@pytest.mark.parametrize(
    ("sessions", "w", "said"),
    [
        ([STILL], 0, "the canary stayed within"),
        ([BESIDE], FLOOR, "was not looked at around each trial"),
        ([STILL, STILL], 0, ""),
        ([STILL, BESIDE], FLOOR, ""),
    ],
)
def test_a_machine_that_held_still_around_every_trial_does_not_move(
    published_noise_floor: float, sessions: list[dict[str, Any]], w: float, said: str
) -> None:
    found = environment.movement(pooled([(each, OWN) for each in sessions]), device=False)
    assert found.w == w
    assert said in found.reason


def test_a_look_while_the_clients_go_on_writing_tells_nothing_of_the_machine(home: Path) -> None:
    store_looks(home, looks(30, 0.0), OWN)
    busy = looks(8, 0.0, trials=True, factor=3.0).assign(moment=environment.TURNS)
    canary = pd.concat([looks(8, 0.0, trials=True, factor=1.5), busy], ignore_index=True)
    at_rest, (own,) = run_with(canary), sorted(environment.UNDER_LOAD)
    under_load = replace(at_rest, experiment=own)
    assert environment.movement(at_rest, device=False).w > math.log(2.0)
    assert environment.movement(under_load, device=False).w == pytest.approx(math.log(1.5))
    shifts = environment.shifts(under_load, HASH, environment.quiet_levels(local=True))
    assert len(environment.looks(under_load)) == len(shifts) == 16


def test_the_chapters_that_are_looked_at_under_load_exist_and_take_turns() -> None:
    for name in environment.UNDER_LOAD:
        for path in (ROOT / "data" / "published" / name).iterdir():
            record = json.loads((path / "run.json").read_text("utf-8"))
            assert environment.TURNS in {look["moment"] for look in record["canary"]}, path.name


def test_a_reading_that_the_machine_could_not_take_tells_nothing(published_noise_floor: float) -> None:
    still = looks(8, 0.003, trials=True, factor=0.97)
    for canary in (still.assign(**{READ: None}), still.drop(columns=READ)):
        assert environment.movement(run_with(canary), device=False).w == 0
        found = environment.movement(run_with(canary), device=True)
        assert found.w == FLOOR
        assert "is not known (direct 8 KiB reads)" in found.reason


# quiet levels


def test_a_quiet_level_is_read_from_all_looks_of_a_processor_and_from_no_others(home: Path) -> None:
    store_looks(home, looks(6, 0.0), OWN)
    store_looks(home, looks(6, 0.0, factor=1.5), OWN)
    store_looks(home, looks(20, 0.0, factor=0.5), OTHER)
    found = environment.quiet_levels(local=False)
    one, another = host_kinds.processor(OWN), environment.processor(OTHER)
    assert found[one, HASH] == pytest.approx(QUIET_NS[HASH]), "12 of 24 looks were at that level"
    assert found[another, HASH] == pytest.approx(QUIET_NS[HASH] / 2)
    assert found[one, READ] == pytest.approx(QUIET_NS[READ])


def test_processors_differ_by_model_and_by_number_of_cores() -> None:
    names = {
        host_kinds.processor(each)
        for each in (OWN, OTHER, OWN | {"cores": 4}, OWN | {"processor_model": "x"}, OWN | {"memory_bytes": 5})
    }
    assert len(names) == 4, "memory is no part of it"


def test_runs_of_this_machine_tell_a_quiet_level_for_their_own_kind_alone(home: Path) -> None:
    store_looks(home, looks(20, 0.0), OWN, local=True)
    assert environment.quiet_levels(local=False) == {}
    assert environment.quiet_levels(local=True)[host_kinds.processor(OWN), HASH] == pytest.approx(QUIET_NS[HASH])
    canary = looks(8, 0.0, factor=2.0)
    mine, cited = (environment.movement(run_with(canary, published=each), device=False) for each in (False, True))
    assert mine.w == pytest.approx(math.log(2))
    assert cited.w == FLOOR, "a published verdict does not depend on what else is stored here"
    store_looks(home, looks(20, 0.0, factor=2.0), OWN)
    assert environment.quiet_levels(local=True)[host_kinds.processor(OWN), HASH] == pytest.approx(QUIET_NS[HASH])
    assert environment.movement(run_with(canary), device=False).w < math.log(2), (
        "a run that is stored later is read too"
    )


def test_few_looks_missing_ones_and_damaged_records_give_no_level(home: Path) -> None:
    store_looks(home, looks(9, 0.0), OWN)
    store_looks(home, looks(20, 0.0).assign(**{READ: None}), OTHER)
    (store_looks(home, looks(20, 0.0), {"processor": "a third"}) / "run.json").write_text("{")
    assert set(environment.quiet_levels(local=True)) == {(host_kinds.processor(OTHER), HASH)}


def test_the_published_runs_tell_the_quiet_level_of_the_processors_that_measured_them() -> None:
    """Of the repository itself: a run whose processor nobody knows quiet would get no w of its own."""
    levels = environment.quiet_levels(local=False)
    for path in (ROOT / "data" / "published").glob("*/*/run.json"):
        record = json.loads(path.read_text())
        if lab.experiment(record["experiment"]).kind is Kind.SIMULATION:
            continue  # it draws the same numbers on any machine
        for name in (HASH, READ):
            if any(look.get(name) for look in record["canary"]):
                assert (host_kinds.processor(record["provenance"]), name) in levels, path


# spreads


def test_without_enough_readings_that_move_there_is_no_spread(home: Path) -> None:
    assert environment.published_spreads() == {}
    assert environment.spreads(looks(4, 0.03)) == {}
    canary = looks(30, 0.03)
    assert set(environment.spreads(canary)) == {HASH, READ}
    assert set(environment.spreads(canary.assign(**{READ: None}))) == {HASH}
    assert set(environment.spreads(canary.assign(**{HASH: 5.0}))) == {READ}
