"""``verdicts``: every claim of the ledger with its verdict, from the runs that are stored."""

import json
import shutil
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sealing

from benchbook import lab
from benchbook.book.records.basis import MEANS
from benchbook.book.records.judged import Judged, every_claim, from_records
from benchbook.claims import load_claims
from benchbook.cli import verdicts as command
from benchbook.errors import BenchbookError
from benchbook.figures.prose import counted
from benchbook.model import Estimate, Outcome, Verdict
from benchbook.parameters.kinds import Kind

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "data" / "published" / "hot_cold_keys"
RUN = "ef84e30ccc3d-20261123T164543"
OLDER = "0bec941daa85-20261121T010129"
DATA_DECIDE = {str(each) for each in Outcome} - {"not testable here", "not a measurement", "not yet run"}
CLAIMS = load_claims(ROOT / "data" / "claims.csv")


@pytest.fixture
def only_hot_cold_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "names", lambda: ["hot_cold_keys"])


def records(result: Any) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.stderr
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


@pytest.mark.usefixtures("only_hot_cold_keys")
def test_without_runs_every_claim_has_its_verdict_without_data(home: Path, benchbook: Any) -> None:
    found = records(benchbook("verdicts", "--json"))
    assert [each["claim_id"] for each in found] == list(CLAIMS)
    assert {each["outcome"] for each in found} == {"not yet run", "not testable here", "not a measurement"}
    assert all(each["estimate"] is None and each["run_id"] == "" and each["reason"] for each in found)


@pytest.mark.usefixtures("only_hot_cold_keys")
def test_the_newest_published_run_judges_with_all_its_numbers(home: Path, benchbook: Any) -> None:
    sealing.publish_copy(PUBLISHED / RUN, home)
    sealing.publish_copy(PUBLISHED / OLDER, home)
    found = {each["claim_id"]: each for each in records(benchbook("verdicts", "--json"))}
    assert len(found) == len(CLAIMS)
    judged = [each for each in found.values() if each["run_id"]]
    assert {each["run_id"] for each in judged} == {RUN}
    assert {each["chapter"] for each in judged} == {"hot_cold_keys"}
    assert len(judged) == sum(claim.chapter == "hot_cold_keys" for claim in CLAIMS.values())
    one = found["L001"]
    assert one["estimate"]["low"] < one["estimate"]["point"] < one["estimate"]["high"]
    assert (one["estimate"]["n"], one["estimate"]["confidence"]) == (6, 0.95)
    assert one["estimate"]["method"].startswith("Student t")
    assert one["quote"] == CLAIMS["L001"].quote
    assert one["figure_id"].startswith("fig-")
    open_ones = [each for each in judged if each["outcome"] in ("open: interval", "open: one visit")]
    assert open_ones
    assert all(each["visits_needed"] != 0 and each["look"] is None for each in open_ones)
    assert any(each["visits_needed"] for each in open_ones)
    timed = [each for each in judged if each["outcome"] == "holds" and "comparison" in each["rests_on"]]
    assert {(each["visits"], each["look"], *each["processors"]) for each in timed} == {(1, 1, "Intel Xeon 6-167-1")}


@pytest.mark.usefixtures("only_hot_cold_keys")
def test_a_run_of_an_earlier_version_is_passed_over_and_said(home: Path, benchbook: Any) -> None:
    sealing.publish_copy(PUBLISHED / OLDER, home)
    result = benchbook("verdicts", "--chapter", "hot_cold_keys", "--json")
    assert "earlier measurement version" in result.stderr
    assert all(each["run_id"] == "" for each in records(result))


@pytest.mark.usefixtures("only_hot_cold_keys")
def test_the_table_counts_what_it_shows(home: Path, benchbook: Any) -> None:
    sealing.publish_copy(PUBLISHED / RUN, home)
    every = records(benchbook("verdicts", "--note", "000", "--json"))
    said = benchbook("verdicts", "--note", "000").stdout
    measured = Counter(each["outcome"] for each in every if each["run_id"] and each["outcome"] in DATA_DECIDE)
    rest = Counter(each["outcome"] for each in every) - measured
    first, second = (counted(found.elements()) for found in (measured, rest))
    total, *kinds, amended, runs = said.strip().partition("\n\n")[2].splitlines()
    assert total == f"{len(every)} of 441 claims: {measured.total()} measured here ({first}); {second}"
    left_open = {f"{kind} ({number}): {MEANS[Outcome(kind)]}" for kind, number in measured.items() if "open" in kind}
    assert left_open == set(kinds)
    assert "rest on a region or a quantity that was amended" in amended
    assert runs == "judged by 1 published run"
    lines = [line for line in said.splitlines() if line[:1] == "L"]
    assert [line.split()[0] for line in lines] == [each["claim_id"] for each in every]


@pytest.mark.usefixtures("only_hot_cold_keys")
def test_a_quick_run_judges_while_there_is_no_other_and_is_named(home: Path, benchbook: Any) -> None:
    folder = home / "runs" / "hot_cold_keys"
    shutil.copytree(PUBLISHED / RUN, folder / RUN)
    sealing.rewrite(folder / RUN)
    later = folder / RUN.replace("20261123", "20261124")
    shutil.copytree(folder / RUN, later)
    finished = "2026-11-24T05:00:00+00:00"
    sealing.rewrite(later, id=later.name, key="0" * 12, profile="quick", finished_at=finished)
    command = ("verdicts", "--chapter", "hot_cold_keys")
    assert benchbook(*command).stdout.endswith(f"judged by local: {RUN} (hot_cold_keys, standard)\n")
    shutil.rmtree(folder / RUN)
    assert benchbook(*command).stdout.endswith(f"judged by local: {later.name} (hot_cold_keys, quick)\n")


@pytest.mark.usefixtures("only_hot_cold_keys")
def test_filters_hold_together(home: Path, benchbook: Any) -> None:
    given = ("--note", "003", "--chapter", "config_ladder", "--outcome", "not a measurement", "--json")
    found = records(benchbook("verdicts", *given))
    assert found
    assert {(e["note"], e["chapter"], e["outcome"]) for e in found} == {("003", "config_ladder", "not a measurement")}
    none = benchbook("verdicts", "--note", "004", "--chapter", "hot_cold_keys", code=0)
    assert none.stdout.strip() == "0 of 441 claims"


def test_an_analysis_judges_by_the_notes_numbers(home: Path, benchbook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module = SimpleNamespace(
        name="cost",
        kind=Kind.ANALYSIS,
        Parameters=lambda: "defaults",
        summarize=lambda parameters: f"summary of {parameters}",
        judge=lambda summary: [Verdict("L081", Outcome.REPRODUCED, summary, Estimate(2.0, 1.0, 3.0, 5, "t"))],
    )
    monkeypatch.setattr(lab, "names", lambda: ["cost"])
    monkeypatch.setattr(lab, "experiment", lambda name: module)
    found = {each["claim_id"]: each for each in records(benchbook("verdicts", "--json"))}
    assert found["L081"]["reason"] == "summary of defaults"
    assert found["L081"]["estimate"]["high"] == 3.0
    (home / "_build" / "verdicts.key.json").unlink()  # nothing that is looked at has changed
    module.judge = lambda summary: [Verdict("X999", Outcome.REPRODUCED, summary)]
    assert "chapter cost judges X999" in benchbook("verdicts", code=1).stderr


def test_a_slow_chapter_is_named_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with command._said_when_slow("one: judging", time.monotonic() - command.PATIENCE_S):
        time.sleep(0.2)
    with command._said_when_slow("two: judging", time.monotonic() + 60):
        pass
    assert capsys.readouterr() == ("", "one: judging\n")


def given(claim_id: str, chapter: str, outcome: Outcome) -> Judged:
    return Judged(CLAIMS[claim_id], Verdict(claim_id, outcome, "r"), chapter)


@pytest.mark.parametrize("own_first", [True, False])
def test_of_two_chapters_the_claims_own_one_counts(own_first: bool) -> None:
    both = [given("L001", "hot_cold_keys", Outcome.REPRODUCED), given("L001", "another", Outcome.CONTRADICTED)]
    found = every_claim(CLAIMS, both if own_first else both[::-1])
    assert len(found) == len(CLAIMS)
    assert (found[0].outcome, found[0].judged_by) == (Outcome.REPRODUCED, "hot_cold_keys")


def test_records_of_a_claim_that_is_not_in_the_ledger_are_refused() -> None:
    record = {"claim_id": "X1", "outcome": "holds", "reason": "r", "figure_id": "", "chapter": "one"}
    with pytest.raises(BenchbookError, match="chapter one judges X1"):
        from_records(CLAIMS, [record])
