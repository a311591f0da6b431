"""``verdicts``: every claim of the ledger with its verdict, from the runs that are stored; and the table by note."""

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
from benchbook.book.records.basis import FORESEEN, MEANS, OPEN, Basis
from benchbook.book.records.judged import Judged, every_claim, from_records
from benchbook.claims import Testable, load_claims
from benchbook.cli import verdict_summary
from benchbook.cli import verdicts as command
from benchbook.cli.verdict_summary import BEGIN, END, row, rows
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


@pytest.fixture(autouse=True)
def only_hot_cold_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "names", lambda: ["hot_cold_keys"])


def records(result: Any) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_without_runs_every_claim_has_its_verdict_without_data(home: Path, benchbook: Any) -> None:
    found = records(benchbook("verdicts", "--json"))
    assert [each["claim_id"] for each in found] == list(CLAIMS)
    assert {each["outcome"] for each in found} == {"not yet run", "not testable here", "not a measurement"}
    assert all(each["estimate"] is None and each["run_id"] == "" and each["reason"] for each in found)


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


def test_a_run_of_an_earlier_version_is_passed_over_and_said(home: Path, benchbook: Any) -> None:
    sealing.publish_copy(PUBLISHED / OLDER, home)
    result = benchbook("verdicts", "--chapter", "hot_cold_keys", "--json")
    assert "earlier measurement version" in result.stderr
    assert all(each["run_id"] == "" for each in records(result))


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


def judged(claim_id: str, chapter: str, outcome: Outcome) -> Judged:
    return Judged(CLAIMS[claim_id], Verdict(claim_id, outcome, "r"), chapter)


@pytest.mark.parametrize("own_first", [True, False])
def test_of_two_chapters_the_claims_own_one_counts(own_first: bool) -> None:
    both = [judged("L001", "hot_cold_keys", Outcome.REPRODUCED), judged("L001", "another", Outcome.CONTRADICTED)]
    found = every_claim(CLAIMS, both if own_first else both[::-1])
    assert len(found) == len(CLAIMS)
    assert (found[0].outcome, found[0].judged_by) == (Outcome.REPRODUCED, "hot_cold_keys")


def test_records_of_a_claim_that_is_not_in_the_ledger_are_refused() -> None:
    record = {"claim_id": "X1", "outcome": "holds", "reason": "r", "figure_id": "", "chapter": "one"}
    with pytest.raises(BenchbookError, match="chapter one judges X1"):
        from_records(CLAIMS, [record])


def cells(table: str) -> dict[str, list[int]]:
    """Column to its numbers from top to bottom, an empty cell being 0."""
    head, _, *rest = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines())
    numbers = zip(*([int(cell or 0) for cell in line[1:]] for line in rest), strict=True)
    return {name: [*column] for name, column in zip(head[1:], numbers, strict=True)}


def tables(text: str) -> list[dict[str, list[int]]]:
    """The cells of the table of the main claims, and of that of all."""
    return [cells(part) for part in text.split("\n\n") if part.startswith("|  |")]


def test_every_way_to_come_out_has_one_row_and_each_kind_of_open_its_own() -> None:
    every = rows(row)
    assert len(set(every)) == len(every)
    assert {row(way, outcome) for way, outcomes in FORESEEN.items() for outcome in outcomes} == set(every)
    assert {each for each in every if each.startswith("open")} == set(map(str, OPEN))
    assert row(Basis.REPORT, Outcome.DIRECTION_ONLY) == "from the note's own report: another size"
    assert row(Basis.CONSTRUCTION, Outcome.CONTRADICTED) == "by construction: wrong"


def one_of_each() -> list[Judged]:
    """Every claim, of which some came out, one in each way."""
    first = [id_ for id_, claim in CLAIMS.items() if claim.testable is Testable.HERE][: len(Outcome)]
    return every_claim(CLAIMS, [judged(id_, "one", way) for id_, way in zip(first, Outcome, strict=True)])


def test_columns_count_every_claim_of_their_note_once_and_the_main_ones_first() -> None:
    text = verdict_summary.markdown(one_of_each())
    assert text.startswith(f"The ledger has {len(CLAIMS)} claims")
    for found, claims in zip(
        tables(text), ([claim for claim in CLAIMS.values() if claim.primary], list(CLAIMS.values())), strict=True
    ):
        assert list(found) == [*(f"note {note}" for note in ("000", "001", "002", "003", "004")), "all"]
        for name, numbers in found.items():
            assert sum(numbers) == sum(name in ("all", f"note {claim.note}") for claim in claims)
        assert found["all"] == [sum(each) for each in zip(*list(found.values())[:-1], strict=True)]


def test_the_brief_table_counts_every_claim_once_and_what_is_open_in_one_row() -> None:
    text = verdict_summary.brief(one_of_each())
    (only,) = tables(text)
    assert sum(only["all"]) == len(CLAIMS)
    names = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")][1:]
    assert names[:4] == ["holds", "another size", "no effect", "wrong"], names
    assert only["all"][names.index("open")] == len(OPEN)


def test_without_main_claims_there_is_one_table() -> None:
    (only,) = tables(verdict_summary.markdown([judged("L001", "one", Outcome.REPRODUCED)]))
    assert only["all"][0] == 1


def test_the_table_goes_between_its_marks_and_nowhere_else(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    verdict_summary.put_into(file, "| new |\n")
    assert file.read_text() == f"before\n{BEGIN}\n\n| new |\n\n{END}\nafter\n"
    verdict_summary.put_into(file, "| newer |\n")
    assert file.read_text() == f"before\n{BEGIN}\n\n| newer |\n\n{END}\nafter\n"


@pytest.mark.parametrize("text", ["", BEGIN, f"{END}\n{BEGIN}", f"{BEGIN}\n{BEGIN}\n{END}"])
def test_a_file_without_the_marks_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.md"
    file.write_text(text)
    with pytest.raises(BenchbookError, match="has no place for the verdicts"):
        verdict_summary.put_into(file, "| new |\n")
    assert file.read_text() == text
    with pytest.raises(BenchbookError, match="cannot be read"):
        verdict_summary.put_into(tmp_path / "none.md", "| new |\n")


def test_the_command_counts_the_claims_that_it_was_asked_for(benchbook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them are in README.md; tests/contract/test_results.py compares."""
    monkeypatch.undo()
    monkeypatch.setenv("BENCHBOOK_HOME", str(ROOT))
    made = benchbook("verdicts", "--markdown", "--chapter", "cost", code=0)
    assert sum(tables(made.stdout)[-1]["all"]) == sum(claim.chapter == "cost" for claim in CLAIMS.values())
