import csv
import hashlib
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from benchbook.claims import Rule, Testable, chapter_claims, ledger_sha256, load_claims, load_experiments
from benchbook.claims.amendments import AMENDMENT_COLUMNS
from benchbook.claims.ledger import COLUMNS
from benchbook.errors import BenchbookError

ROOT = Path(__file__).resolve().parents[2]
LEDGER = ROOT / "data" / "claims.csv"
FIXED_SHA256 = "2aa8dbb0249b6e4edeba2c17a09fe06adeb61b297bb07c957925015747a87d2e"

GOOD = {
    "id": "X001",
    "note": "000",
    "section": "S",
    "quote": "twice as fast",
    "kind": "measured",
    "chapter": "hot_cold_keys",
    "experiment": "L1;L9",
    "metric": "p99",
    "unit": "ratio",
    "estimand": "a ratio",
    "rule": "inside",
    "low": "0.4",
    "high": "0.625",
    "margin": "0.1",
    "family": "f",
    "primary": "yes",
    "testable": "here",
    "portable": "no",
    "elsewhere": "",
    "reading": "r",
}
EXPERIMENTS = """id,title,note,chapter
L1,hot against cold keys,000,hot_cold_keys
L9,hit ratios,000,hot_cold_keys
"""
CHANGE = {
    "id": "X001",
    "column": "high",
    "old": "0.625",
    "new": "0.7",
    "date": "2026-01-31",
    "reason": "a typing error",
    "data_seen": "no",
}


def write(folder: Path, rows: list[dict[str, str]], changes: list[dict[str, str]] | None = None) -> Path:
    pd.DataFrame(rows, columns=[*COLUMNS]).to_csv(folder / "claims.csv", index=False)
    pd.DataFrame(changes, columns=[*AMENDMENT_COLUMNS]).to_csv(folder / "claims-amendments.csv", index=False)
    (folder / "experiments.csv").write_text(EXPERIMENTS)
    return folder / "claims.csv"


def test_the_ledger_is_as_it_was_fixed():
    assert ledger_sha256() == FIXED_SHA256, "the ledger never changes: add a line to data/claims-amendments.csv"
    assert hashlib.sha256(LEDGER.read_bytes()).hexdigest() == FIXED_SHA256


def test_every_claim_of_the_five_notes_is_read():
    claims = load_claims(LEDGER)
    with LEDGER.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert list(claims) == [row["id"] for row in rows]
    assert len(claims) == 441
    assert {claim.note for claim in claims.values()} == {"000", "001", "002", "003", "004"}
    for row in rows:
        claim = claims[row["id"]]
        for change in claim.amendments:
            assert row[change.column] == change.old
            row[change.column] = change.new
        for column in ("low", "high", "margin"):
            value = getattr(claim, column)
            assert (value is None) == (row[column] == "")
            assert value is None or value == float(row[column])
        for column in ("quote", "chapter", "estimand", "unit", "family", "elsewhere", "reading", "rule", "testable"):
            assert str(getattr(claim, column)) == row[column]


def test_the_claims_of_a_chapter_are_those_that_name_it_as_amended():
    claims, moved = chapter_claims("hot_cold_keys"), chapter_claims("networked_keys")["L012"]
    assert len(claims) == 29
    assert moved.primary
    assert moved.chapter == "networked_keys", "an amendment moved it"
    assert (moved.rule, moved.low, moved.high, moved.experiments) == (Rule.INSIDE, 0.2727, 0.4545, ("L1",))
    assert claims["L014"].testable is Testable.ELSEWHERE
    assert claims["L067"].rule is Rule.PROSE
    with pytest.raises(BenchbookError, match="hot_cold_keys"):
        chapter_claims("hot_keys")


def test_a_row_becomes_a_claim(tmp_path):
    claim = load_claims(write(tmp_path, [GOOD]))["X001"]
    assert (claim.low, claim.high, claim.margin) == (0.4, 0.625, 0.1)
    assert (claim.primary, claim.portable) == (True, False)
    assert claim.experiments == ("L1", "L9")
    assert claim.amendments == ()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rule": "about"}, "'about'"),
        ({"testable": "maybe"}, "'maybe'"),
        ({"note": "005"}, "'005'"),
        ({"low": ""}, "no low"),
        ({"high": ""}, "no high"),
        ({"rule": "greater", "low": ""}, "no low"),
        ({"rule": "less", "high": ""}, "no high"),
        ({"rule": "greater", "margin": ""}, "no margin"),
        ({"rule": "less", "margin": "-0.1"}, "no margin"),
        ({"rule": "no_difference", "margin": ""}, "no margin"),
        ({"rule": "no_difference", "margin": "0"}, "allows a difference of 0"),
        ({"rule": "no_difference", "margin": "0.1", "low": "0.95", "high": ""}, "low 0.95 but margin 0.1"),
        ({"rule": "exists", "low": ""}, "no low"),
        ({"rule": "arithmetic", "high": ""}, "no high"),
        ({"low": "0.7"}, "above high"),
        ({"low": "nan"}, "'nan'"),
        ({"low": "x"}, "'x'"),
        ({"high": "inf"}, "'inf'"),
        ({"primary": "true"}, "yes or no"),
        ({"portable": ""}, "yes or no"),
        ({"testable": "elsewhere"}, "does not say where"),
        ({"rule": "prose"}, "prose"),
        ({"testable": "no"}, "prose"),
        ({"chapter": "Hot Keys"}, "'Hot Keys'"),
        ({"experiment": "L1,L9"}, "'L1,L9'"),
        ({"quote": " "}, "no quote"),
        ({"id": ""}, "no id"),
    ],
)
def test_a_row_that_makes_no_claim_is_refused_by_name(tmp_path, changes, message):
    row = {**GOOD, **changes}
    with pytest.raises(BenchbookError, match=message) as caught:
        load_claims(write(tmp_path, [row]))
    assert repr(row["id"]) in caught.value.problem
    assert caught.value.mend


@pytest.mark.parametrize(
    "changes",
    [
        {"rule": "greater", "high": ""},
        {"rule": "less", "low": ""},
        {"rule": "no_difference", "low": "", "high": ""},
        {"rule": "no_difference", "low": "0.9", "high": "1.1"},
        {"rule": "exists", "high": "", "margin": ""},
        {"rule": "arithmetic", "margin": ""},
        {"rule": "prose", "testable": "no", "low": "", "high": "", "margin": ""},
    ],
)
def test_each_rule_is_content_with_its_own_columns(tmp_path, changes):
    assert load_claims(write(tmp_path, [{**GOOD, **changes}]))["X001"].rule == changes["rule"]


def test_an_id_twice_is_refused(tmp_path):
    with pytest.raises(BenchbookError, match="X001 twice"):
        load_claims(write(tmp_path, [GOOD, GOOD]))


@pytest.mark.parametrize(
    ("damaged", "message"),
    [
        (lambda text: b"id,note\n1,2\n", r"claims\.csv"),
        (lambda text: b"\xff\xfe", r"claims\.csv"),
        (lambda text: b"", r"claims\.csv"),
        (lambda text: text + b",extra", "line 2"),
        (lambda text: text.rsplit(b",", 1)[0] + b"\n", "line 2"),
    ],
    ids=["other columns", "no text", "nothing", "too many cells", "too few cells"],
)
def test_a_file_that_is_no_ledger_is_refused(tmp_path, damaged, message):
    path = write(tmp_path, [GOOD])
    path.write_bytes(damaged(path.read_bytes().rstrip()))
    with pytest.raises(BenchbookError, match=message):
        load_claims(path)


def test_a_missing_file_is_an_error_and_no_empty_ledger(tmp_path):
    with pytest.raises(BenchbookError, match="cannot be read"):
        load_claims(tmp_path / "claims.csv")
    path = write(tmp_path, [GOOD])
    for other in ("experiments", "claims-amendments"):
        (tmp_path / f"{other}.csv").unlink()
        with pytest.raises(BenchbookError, match=rf"{other}\.csv cannot be read"):
            load_claims(path)


def test_an_amendment_changes_the_claim_and_stays_visible(tmp_path):
    second = {**CHANGE, "old": "0.7", "new": "0.8", "data_seen": "yes"}
    path = write(tmp_path, [GOOD, {**GOOD, "id": "X002"}], [CHANGE, second])
    claims = load_claims(path)
    assert claims["X001"].high == 0.8
    assert [(change.new, change.data_seen) for change in claims["X001"].amendments] == [("0.7", False), ("0.8", True)]
    assert claims["X002"] == replace(claims["X001"], id="X002", high=0.625, amendments=())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": "X009"}, "no claim and column"),
        ({"column": "highest"}, "no claim and column"),
        ({"column": "id", "old": "X001"}, "no claim and column"),
        ({"old": "0.6"}, "was '0.6', but it is '0.625'"),
        ({"date": "31.1.2026"}, "date"),
        ({"reason": " "}, "no reason"),
        ({"data_seen": ""}, "yes or no"),
        ({"new": "0.1"}, "above high"),
        ({"column": "experiment", "old": "L1;L9", "new": "Q7"}, "'Q7'"),
    ],
)
def test_an_amendment_that_does_not_fit_is_refused(tmp_path, changes, message):
    with pytest.raises(BenchbookError, match=message):
        load_claims(write(tmp_path, [GOOD], [{**CHANGE, **changes}]))


def test_every_experiment_that_the_ledger_names_is_listed_with_a_chapter_of_the_ledger():
    claims = load_claims(LEDGER)
    experiments = load_experiments(LEDGER.with_name("experiments.csv"))
    assert len(experiments) == 44
    assert {name for claim in claims.values() for name in claim.experiments} == set(experiments)
    assert {each.chapter for each in experiments.values()} <= {claim.chapter for claim in claims.values()}
    for each in experiments.values():
        assert each.note == {"L": "000", "B": "001", "P": "002", "R": "003", "O": "004"}[each.id[0]]


def test_an_experiment_that_is_not_listed_is_refused_with_its_row_and_the_nearest_id(tmp_path):
    with pytest.raises(BenchbookError, match=r"claims\.csv row 'X001' names the experiment 'L11'") as caught:
        load_claims(write(tmp_path, [{**GOOD, "experiment": "L9;L11"}]))
    assert "(did you mean 'L1'?)" in caught.value.problem
    assert "experiments.csv" in caught.value.mend


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (EXPERIMENTS + "L1,again,000,hot_cold_keys\n", "L1 twice"),
        (EXPERIMENTS + "l2,small,000,hot_cold_keys\n", "row 'l2' has no id"),
        (EXPERIMENTS + "L2, ,000,hot_cold_keys\n", "row 'L2' has no title"),
        (EXPERIMENTS + "L2,x,000,\n", "row 'L2' has no chapter"),
        ("id,title\nL1,x\n", "has the columns"),
        ("", "has the columns"),
    ],
)
def test_a_list_of_experiments_that_is_damaged_is_refused(tmp_path, text, message):
    path = write(tmp_path, [GOOD])
    path.with_name("experiments.csv").write_text(text)
    with pytest.raises(BenchbookError, match=message):
        load_claims(path)
