"""The table of verdicts by note: it counts every claim once, and README.md has the published runs' own."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from benchbook.book.judged import Judged, every_claim
from benchbook.claims import load_claims
from benchbook.cli import verdict_summary
from benchbook.cli.verdict_summary import BEGIN, COLUMNS, END
from benchbook.errors import BenchbookError
from benchbook.model import Outcome, Verdict

ROOT = Path(__file__).parents[2]
CLAIMS = load_claims(ROOT / "data" / "claims.csv")


def cells(table: str) -> dict[str, list[int]]:
    """First word of a row to its numbers, an empty cell being 0."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines()[2:]]
    return {row[0].split()[0]: [int(cell or 0) for cell in row[1:]] for row in rows}


def test_every_outcome_is_in_one_column() -> None:
    counted = [outcome for outcomes in COLUMNS.values() for outcome in outcomes]
    assert sorted(counted) == sorted(Outcome)


def test_rows_count_every_claim_of_their_note_once() -> None:
    first = list(CLAIMS)[: len(Outcome)]
    pairs = zip(first, Outcome, strict=True)
    given = [Judged(CLAIMS[id_], Verdict(id_, outcome, "r"), "one") for id_, outcome in pairs]
    table = verdict_summary.markdown(every_claim(CLAIMS, given))
    found = cells(table)
    assert list(found) == ["000", "001", "002", "003", "004", "all"]
    for note, numbers in found.items():
        assert sum(numbers) == sum(note in ("all", claim.note) for claim in CLAIMS.values())
    assert found["all"] == [sum(column) for column in zip(*list(found.values())[:-1], strict=True)]
    assert found["000"][3] >= 2, "a machine that did not hold still leaves a claim inconclusive"


def test_what_intervals_alone_would_say_stands_under_the_table_and_in_no_column() -> None:
    first, second, third = list(CLAIMS)[:3]
    verdicts = [
        Verdict(first, Outcome.ENVIRONMENT, "r", alone=Outcome.CONTRADICTED),
        Verdict(second, Outcome.ENVIRONMENT, "r", alone=Outcome.REPRODUCED),
        Verdict(third, Outcome.REPRODUCED, "r"),
    ]
    table = verdict_summary.markdown(every_claim(CLAIMS, [Judged(CLAIMS[v.claim_id], v, "one") for v in verdicts]))
    rows, blank, words = table.strip().rpartition("\n\n")
    assert blank
    assert words.endswith("the 2 that a check of the machine leaves open would be: 1 reproduced, 1 contradicted.")
    assert cells(rows)["all"][:4] == [1, 0, 0, 2]


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


def test_readme_has_the_verdicts_of_the_published_runs(benchbook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "BENCHBOOK_HOME", str(ROOT))
    made = benchbook("verdicts", "--markdown")
    assert made.exit_code == 0, made.stderr
    text = (ROOT / "README.md").read_text("utf-8")
    (found,) = re.findall(f"{re.escape(BEGIN)}\n\n(.*?)\n{re.escape(END)}", text, re.DOTALL)
    assert found == made.stdout, "run `benchbook verdicts --into README.md`"
