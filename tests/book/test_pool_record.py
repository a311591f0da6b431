"""A pooled figure tells all that it rests on: runs, blocks, visits, time, kinds of host and commits."""

import json
from pathlib import Path
from typing import Any

import executed
import pytest
import shown

from benchbook import lab, store
from benchbook.book.crate import description
from benchbook.book.parts import figure_files, record_nodes, run_nodes
from benchbook.book.records import figure_records, pool_record, pool_words, run_facts
from benchbook.claims import load_claims
from benchbook.errors import BenchbookError
from benchbook.experiments import chosen_runs
from benchbook.figures import VerdictTable
from benchbook.model import Estimate, Evidence, OnHost, Outcome, Verdict
from benchbook.numbers import host_kinds
from benchbook.numbers.summary import Summary

ROOT = Path(__file__).parents[2]
CHAPTER = "shared_buffers"


@pytest.fixture(scope="module")
def pool() -> list[store.Entry]:
    chapter = lab.experiment(CHAPTER)
    newest = chosen_runs.entry(chapter)
    assert newest is not None
    return chosen_runs.pool(chapter, (newest.record or {})["key"], public=True)


@pytest.fixture
def record(cited: Path, pool: list[store.Entry]) -> dict[str, Any]:
    path = executed.chapter(cited, CHAPTER, executed.figure("fig-a", pool[-1].id))
    (found,) = figure_records.of_chapters(cited, [path])
    return found


def test_all_runs_blocks_visits_hosts_and_commits_are_counted(record: dict[str, Any], pool: list[store.Entry]) -> None:
    found, stored = record["run"]["pool"], [each.record or {} for each in pool]
    assert len(pool) > 1
    assert found["runs"] == [each.id for each in pool]
    assert found["blocks"] == sum(each["blocks"] for each in stored) > record["run"]["blocks"]
    assert found["minutes"] == pytest.approx(sum(each["duration_s"] for each in stored) / 60, abs=0.1 * len(pool))
    assert (found["started"], found["finished"]) == (stored[0]["started_at"], stored[-1]["finished_at"])
    for kind in ("hosts", "commits"):
        assert sum(each["blocks"] for each in found[kind]) == found["blocks"]
        assert sorted(run for each in found[kind] for run in each["runs"]) == sorted(found["runs"])
    assert {each["commit"] for each in found["commits"]} == {each["provenance"]["commit"] for each in stored}
    assert len(found["hosts"]) == len({host_kinds.processor(each.provenance) for each in pool}) > 1
    assert sum(each["visits"] for each in found["hosts"]) >= found["visits"]


def test_its_visits_are_those_over_which_its_intervals_are_taken(record: dict[str, Any]) -> None:
    chapter = lab.experiment(CHAPTER)
    summary: Summary = chapter.summarize(chosen_runs.run(chapter))
    found = record["run"]["pool"]
    assert summary.run.id == record["run_id"]
    assert found["blocks"] == summary.run.blocks
    assert found["visits"] == len({*summary.visits.tolist()})


def test_the_file_beside_the_figure_the_citations_and_the_fold_tell_all_of_it(record: dict[str, Any]) -> None:
    pool = record["run"]["pool"]
    every = (record, figure_files.told_once(record))
    whole, once = (json.loads(figure_files.contents(each)["metadata.json"])["run"] for each in every)
    assert whole["pool"] == once["pool"] == pool
    assert once["settings"] == whole["settings"] == whole["pooled_with"][0]["settings"]
    assert all("settings" not in each for each in once["pooled_with"]), "those of one pool have the same"
    whole = shown.text(record_nodes.record_nodes(record, frozenset()))
    chapter = shown.text(record_nodes.record_nodes(record, frozenset(), whole=False))
    said = f"{pool['blocks']} blocks in {pool['visits']} visits"
    for text in (whole, chapter, *record["citations"].values()):
        assert said in text
        assert all(run in text for run in pool["runs"])
        assert all(host["name"] in text for host in pool["hosts"])
    for text in (whole, chapter):
        assert all(each["commit"] in text for each in pool["commits"])
        assert f"in {pool['minutes']:g} minutes" in text
    assert f"Each of its {len(pool['runs'])} runs" not in chapter, "the figure's own page has a row for each"
    for run in record["run"]["pooled_with"]:
        assert run["files"]["trials.parquet"] in whole
        assert run["host"] in whole


def test_a_crate_says_it_too_and_nothing_of_a_figure_of_one_run(record: dict[str, Any]) -> None:
    pool, text = record["run"]["pool"], description._rests_on(record)
    assert pool_words.sentence(pool) in text
    assert all(name in text for name in (*pool["runs"], *(each["commit"] for each in pool["commits"])))
    record["run"]["pool"] = pool | {"runs": pool["runs"][:1]}
    assert description._rests_on(record) == description._rests_on({"run": None}) == ""


def test_a_figure_of_one_run_tells_that_run(tmp_path: Path, pool: list[store.Entry]) -> None:
    facts = [run_facts.facts(pool[-1])]
    found = pool_record.of(pool[-1:], facts)
    assert (found["runs"], found["visits"], len(found["commits"])) == ([pool[-1].id], 1, 1)
    run = facts[0].record() | {"pooled_with": [], "pool": found, "mixes": ""}
    rows = dict(run_nodes.rows(run))
    assert rows["evidence"] == f"{run['blocks']} blocks, {run['trials']} trials"
    assert run_nodes.every({"run": run}) == []
    assert "this run took" in run_nodes.took(run)


def test_the_noise_floor_is_that_of_all_blocks(record: dict[str, Any]) -> None:
    assert f"so {record['run']['pool']['blocks']} blocks can show" in record["noise_floor"]


def test_numbers_by_kind_of_host_that_the_chapter_gives_stand_below_the_figure(
    cited: Path, pool: list[store.Entry]
) -> None:
    claims = load_claims()
    claim = next(each for each in claims.values() if each.chapter == CHAPTER)
    hosts = tuple(
        OnHost(name, "", Estimate(point, point / 2, point * 2, 3, "Student t"), Outcome.REPRODUCED, 3, 2)
        for name, point in (("AMD", 1.5), ("Intel", 3.0))
    )
    verdict = Verdict(claim.id, Outcome.REPRODUCED, "So.", figure_id="fig-a", evidence=Evidence.MEASURED, hosts=hosts)
    table = VerdictTable.of(CHAPTER, [verdict], claims)
    path = executed.chapter(cited, CHAPTER, executed.figure("fig-a", pool[-1].id), table)
    (found,) = figure_records.of_chapters(cited, [path])
    assert [each["name"] for each in found["by_host"][0]["hosts"]] == ["AMD", "Intel"]
    text = shown.text(record_nodes.record_nodes(found, frozenset(), whole=False))
    assert "1.50 [0.750, 3.00]" in text
    assert "3.00 [1.50, 6.00]" in text
    assert pool_record.by_host([{"figure_id": "fig-b", "claim_id": "X", "hosts": [{}]}], "fig-a") == []


def test_words_for_one_and_for_several() -> None:
    assert pool_words.listing([]) == ""
    assert pool_words.listing(["a", "b", "c"]) == "a, b and c"
    one = {"name": "A with 2 cores", "blocks": 1}
    pool = {"blocks": 1, "visits": 1, "hosts": [one], "commits": [{}]}
    assert pool_words.sentence(pool) == "1 block in 1 visit, on A with 2 cores, measured by the code of 1 commit"
    two = {**pool, "blocks": 3, "hosts": [one, {"name": "B", "blocks": 2}]}
    assert "on 2 kinds of host, A with 2 cores (1 block) and B (2 blocks)" in pool_words.sentence(two)


def test_a_damaged_run_of_a_pool_is_named(tmp_path: Path) -> None:
    with pytest.raises(BenchbookError, match="x-1 is damaged"):
        pool_record.of([store.Entry(tmp_path / "x-1", False, None, "torn")], [])
