"""The table of verdicts by note: it counts every claim once, and goes into a file between its marks."""

from pathlib import Path
from typing import Any

import pytest

from benchbook.book.records.basis import FORESEEN, OPEN, Basis
from benchbook.book.records.judged import Judged, every_claim
from benchbook.claims import Testable, load_claims
from benchbook.cli import verdict_summary
from benchbook.cli.verdict_summary import BEGIN, END, row, rows
from benchbook.errors import BenchbookError
from benchbook.model import Outcome, Verdict

ROOT = Path(__file__).parents[2]
CLAIMS = load_claims(ROOT / "data" / "claims.csv")


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
    given = [Judged(CLAIMS[id_], Verdict(id_, way, "r"), "one") for id_, way in zip(first, Outcome, strict=True)]
    return every_claim(CLAIMS, given)


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
    given = [Judged(CLAIMS["L001"], Verdict("L001", Outcome.REPRODUCED, "r"), "one")]
    (only,) = tables(verdict_summary.markdown(given))
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
    monkeypatch.setenv("BENCHBOOK_HOME", str(ROOT))
    made = benchbook("verdicts", "--markdown", "--chapter", "cost", code=0)
    assert sum(tables(made.stdout)[-1]["all"]) == sum(claim.chapter == "cost" for claim in CLAIMS.values())
