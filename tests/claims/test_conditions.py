"""Conditions that a claim of a trial names: numbers, lists, texts and flags, and how a run departs from them."""

from pathlib import Path

import pytest

from benchbook import project
from benchbook.claims import conditions
from benchbook.errors import BenchbookError

HEAD = "id,parameter,low,high\n"


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(project, "ledger", lambda: tmp_path / "claims.csv")
    return tmp_path / conditions.FILE


def departing(written: Path, row: str, **parameters: object) -> list[str]:
    written.write_text(f"{HEAD}T001,{row}\n")
    conditions._load.cache_clear()
    return [*conditions.departures("T001", parameters)]


@pytest.mark.parametrize(
    ("row", "value", "said"),
    [
        ("scale,50,50", 50, ""),
        ("scale,50,50", 4, "4 where the claim names 50"),
        ("pools_mib,1024,8192", [1024, 8192], ""),
        ("pools_mib,1024,8192", [64, 512], "64, 512 where the claim names 1,024 to 8,192"),
        ("seconds,60,", 1.5, "1.5 where the claim names at least 60"),
        ("trip_ms,,0.5", 1, "1 where the claim names at most 0.5"),
        ("client_mode,serial,serial", "serial", ""),
        ("client_mode,serial,serial", "pipeline", "pipeline where the claim names serial"),
        ("direct_io,true,true", True, ""),
        ("direct_io,true,true", False, "false where the claim names true"),
    ],
)
def test_what_is_not_as_the_claim_names_it_is_told(written: Path, row: str, value: object, said: str) -> None:
    name = row.partition(",")[0]
    assert departing(written, row, **{name: value}) == ([f"{name} is {said}"] if said else [])


def test_none_is_a_condition_that_was_looked_for_and_no_row_is_none_that_was(written: Path) -> None:
    assert conditions.of("T001") is None, "without a file, as in the book"
    assert departing(written, "none,,", scale=1) == []
    assert conditions.of("T001") == ()
    assert conditions.of("T002") is None


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("scale,,", "conditions.csv row 'T001' bounds scale on no side"),
        ("scale,2,1", "conditions.csv row 'T001' has low 2 above high 1"),
        ("scale,a,b", "the low 'a'"),
        ("scale,nan,nan", "nan"),
    ],
)
def test_a_row_that_bounds_nothing_is_refused_with_its_place(written: Path, row: str, said: str) -> None:
    with pytest.raises(BenchbookError, match=said):
        departing(written, row, scale=1)
