"""Runs that are passed on, and the numbers of several machines beside each other and as one."""

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
import sealing
from packed_runs import FIRST, PUBLISHED, SECOND, origin, pack

from benchbook import lab, store
from benchbook.reuse.replicate import Answer, replicated, worst
from benchbook.store import schema


@pytest.fixture
def packed(theirs: Path, given: Path) -> Path:
    """The first run as a pack, where the second is published."""
    return pack(theirs)


def test_a_pack_is_added_found_by_its_id_and_stands_for_no_chapter(home: Path, benchbook: Any, packed: Path) -> None:
    benchbook("add", str(packed), code=0)
    added = home / "foreign/lru" / FIRST
    assert (added / schema.TRIALS).read_bytes() == (PUBLISHED / FIRST / schema.TRIALS).read_bytes()
    assert [entry.id for entry in store.catalogue()] == [SECOND]
    compared = benchbook("compare", "lru", FIRST, "--json", code=0)
    assert [run["run"] for run in json.loads(compared.stdout)["runs"]] == [SECOND, FIRST]
    assert "added already" in benchbook("add", str(packed), code=1).stderr


def test_the_same_run_packs_to_the_same_bytes(lru: str, benchbook: Any, tmp_path: Path) -> None:
    other = tmp_path / "again.zip"
    assert benchbook("pack", FIRST, "--out", str(other)).exit_code == 0
    written = other.read_bytes()
    assert benchbook("pack", FIRST, "--out", str(other)).exit_code == 0, "there is nothing to write anew"
    other.write_bytes(b"something else")
    assert benchbook("pack", FIRST, "--out", str(other)).exit_code == 1
    assert other.read_bytes() == b"something else"
    assert benchbook("pack", FIRST, "--out", str(other), "--force").exit_code == 0
    assert other.read_bytes() == written
    with zipfile.ZipFile(other) as archive:
        assert archive.read(f"lru/{FIRST}/{schema.TRIALS}") == (PUBLISHED / FIRST / schema.TRIALS).read_bytes()


def test_a_pack_that_is_not_there_is_said(home: Path, benchbook: Any, tmp_path: Path) -> None:
    assert "there is no file" in benchbook("add", str(tmp_path / "absent.zip")).stderr


def elsewhere(home: Path, packed: Path, benchbook: Any) -> None:
    """The first run as another machine's."""
    assert benchbook("add", str(packed)).exit_code == 0
    origin(home / "foreign/lru" / FIRST, processor="Another 9000", machine_id="a" * 16)


def test_two_machines_are_combined_each_counting_once(home: Path, benchbook: Any, packed: Path) -> None:
    elsewhere(home, packed, benchbook)
    found = json.loads(benchbook("combine", "lru", "--json", code=0).stdout)
    assert len(found["machines"]) == 2
    assert any("Another 9000" in name for name in found["machines"])
    for number in found["numbers"]:
        points = [each["point"] for each in number["machines"].values()]
        assert min(points) - 1e-12 <= number["point"] <= max(points) + 1e-12
        assert number["low"] <= number["point"] <= number["high"]
        assert number["predicted"] is None
    assert "machines" in benchbook("combine", "lru").stdout
    name = found["numbers"][0]["number"]
    drawn = home / "forest.html"
    one = benchbook("combine", "lru", "--number", name, "--forest", str(drawn), "--json", code=0)
    assert json.loads(one.stdout)["numbers"] == found["numbers"][:1]
    assert "Another 9000" in drawn.read_text()
    assert "did you mean" in benchbook("combine", "lru", "--number", f"{name}x", code=1).stderr


def test_one_machine_is_not_combined(lru: str, benchbook: Any) -> None:
    assert "benchbook add" in benchbook("combine", "lru", code=1).stderr
    assert benchbook("combine", "turns").exit_code == 5
    assert benchbook("combine", "cost").exit_code == 1


def test_a_run_of_the_same_numbers_replicates_its_claims() -> None:
    module = lab.experiment("lru")
    runs = [store.read_run(PUBLISHED / name, published=True) for name in (FIRST, SECOND)]
    found = replicated(module, *runs)
    assert [each.claim for each in found] == [
        claim for claim in module.page.page.front.claims if claim in {each.claim for each in found}
    ]
    assert all(each.predicted is None for each in found), "one session predicts nothing"
    assert {each.answer for each in found} <= {Answer.SAME, Answer.OPEN, Answer.UNDECIDED}


def test_a_number_the_other_way_round_contradicts(tmp_path: Path) -> None:
    module = lab.experiment("lru")
    whole = store.pooled([store.read_run(path, published=True) for path in sorted(PUBLISHED.iterdir())])
    turned = store.read_run(PUBLISHED / FIRST, published=True)
    names = turned.trials["configuration"].unique()
    swapped = dict(zip(names, names[::-1], strict=True))
    arms = module.configurations(module.Parameters.given(turned.parameters))
    assert set(names) == set(arms)
    trials = turned.trials.assign(configuration=turned.trials["configuration"].map(swapped))
    found = replicated(module, whole, type(turned)(**{**vars(turned), "trials": trials}))
    assert worst(found) in {Answer.CONTRADICTED, Answer.OPEN}
    assert any(each.as_predicted is False for each in found), "four sessions say where a fifth is to be expected"


def test_replicating_asks_first_and_needs_a_published_run(home: Path, benchbook: Any) -> None:
    assert benchbook("replicate", "lru").exit_code == 5
    sealing.publish_copy(PUBLISHED / FIRST, home)
    assert "not even 3 fit" in benchbook("replicate", "lru", "--budget", "0.001m", code=1).stderr
    assert benchbook("replicate", "cost").exit_code == 1
    assert "more than 100 blocks" in benchbook("replicate", "lru", "--precision", "0.001%", code=1).stderr


def test_a_run_that_was_made_here_is_compared_and_nothing_measured(home: Path, lru: str, benchbook: Any) -> None:
    assert "benchbook replicate lru" in benchbook("replicate", "lru", "--made", code=5).stderr
    shutil.copytree(PUBLISHED / SECOND, home / "runs" / "lru" / SECOND)
    told = benchbook("replicate", "lru", "--made")
    assert told.exit_code in {0, 7, 8}, told.stderr
    assert f"here       {SECOND}" in told.stdout
    assert "O061" in told.stdout
