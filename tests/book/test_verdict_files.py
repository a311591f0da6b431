"""Every claim with its verdict, as files for programs, and what their columns mean."""

import csv
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from judging import CLAIMS

from benchbook.book.pages import data_package, verdict_files
from benchbook.book.parts import tables
from benchbook.book.parts.nodes import SiteLink
from benchbook.book.records.judged import every_claim, from_records
from benchbook.figures import VerdictTable
from benchbook.model import Estimate, Outcome, Verdict

ROOT = Path(__file__).parents[2]
FOUND = Verdict(
    "L001", Outcome.REPRODUCED, "So it is.", Estimate(12.1, 9.1, 16.0, 4, "95 % t"), figure_id="fig-a",
    visits=4, processors=("AMD EPYC 25-17-1", "Intel Xeon 6-167-1"), look=2,
)  # fmt: skip
BASIS = {"blocks": 15, "visits": 5, "hosts": 2, "engine": "PostgreSQL", "runs": ["a", "b"], "until": "2026-01-02"}
LESSON = {
    "chapter": "hot_cold_keys", "findings": [{"claim_id": "L001", "said": "unread keys are slower"}], "basis": BASIS,
}  # fmt: skip
DAY = re.compile(r"\d{4}-\d\d-\d\d")
READ: dict[str, Any] = {
    "string": str, "number": float, "integer": int, "boolean": ["yes", "no"].index, "date": DAY.fullmatch,
}  # fmt: skip


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / verdict_files.CSV).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_both_files_hold_every_claim_once_with_its_verdict(tmp_path: Path) -> None:
    verdict_files.write(tmp_path, every_claim(CLAIMS, []))
    found = json.loads((tmp_path / verdict_files.JSON).read_text("utf-8"))
    table = rows(tmp_path)
    assert [row["claim_id"] for row in table] == [each["claim_id"] for each in found] == list(CLAIMS)
    assert {row["verdict"] for row in table} == {"not yet run", "not testable here", "not a measurement"}
    assert table[0]["quote"] == CLAIMS[table[0]["claim_id"]].quote
    assert found[0]["estimand"] == CLAIMS[table[0]["claim_id"]].estimand
    assert {*found[0]} == {*verdict_files.FIELDS}


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A folder with the files of all claims, of which one is judged."""
    records = VerdictTable.of("hot_cold_keys", [FOUND], CLAIMS).records()
    verdict_files.write(tmp_path, from_records(CLAIMS, json.loads(json.dumps(records))), [LESSON])
    return tmp_path


def test_a_program_reads_the_same_numbers_from_parquet(written: Path) -> None:
    table, text = pd.read_parquet(written / verdict_files.PARQUET), rows(written)
    assert [*table.columns] == [*text[0]]
    assert [*table["claim_id"]] == [row["claim_id"] for row in text]
    (judged,) = table[table["value"].notna()].to_dict("records")
    assert (judged["claim_id"], judged["value"], judged["visits"]) == ("L001", 12.1, 4)
    assert [*table["high"].dropna()] == [float(row["high"]) for row in text if row["high"]]


def test_a_judged_claim_has_its_number_its_words_and_what_it_stands_on(written: Path) -> None:
    (row,) = (each for each in rows(written) if each["claim_id"] == "L001")
    assert (row["said"], row["verdict"]) == ("unread keys are slower", "holds")
    assert (row["value"], row["value_low"], row["value_high"]) == ("12.1", "9.1", "16.0")
    assert (row["blocks"], row["hosts"], row["run_ids"]) == ("15", "2", "a b")
    assert (row["visits"], row["look"], row["visits_needed"]) == ("4", "2", "")
    assert row["processors"] == "AMD EPYC 25-17-1; Intel Xeon 6-167-1"
    assert (row["measured_until"], row["address"]) == ("2026-01-02", "book/verdicts.html#claim-L001")
    assert row["unit"] == CLAIMS["L001"].unit


def test_each_column_is_of_the_type_that_the_data_package_says(written: Path) -> None:
    (claims,) = data_package.package([])["resources"]
    assert claims["path"] == verdict_files.CSV
    fields, table = claims["schema"]["fields"], rows(written)
    assert [each["name"] for each in fields] == list(table[0])
    for field in fields:
        assert field["description"]
        for row in table:
            value = row[field["name"]]
            assert value == "" or READ[field["type"]](value) is not None, f"{field['name']}: {value}"


def test_a_figure_s_table_is_described_by_its_columns() -> None:
    data: dict[str, Any] = {"columns": ["key", "P99 (ms)", "trials"], "data": [["hot", 1.5, 3], ["cold", None, 3]]}
    run = {"run_id": "r-1", "blocks": 3, "measured": "2026-01-02T03:04:05+00:00", "host": "A, 2 cores", "commit": "c0"}
    known = run | {"pooled_with": [run | {"run_id": "r-0", "commit": ""}]}
    figure = {"id": "fig-a", "title": "Latency", "caption": "By keys.", "data": data, "run": known}
    _, found = data_package.package([figure])["resources"]
    assert found["sources"] == [
        {"title": "Run r-0: 3 blocks, measured 2026-01-02, A, 2 cores, commit not recorded"},
        {"title": "Run r-1: 3 blocks, measured 2026-01-02, A, 2 cores, commit c0"},
    ]
    assert "sources" not in data_package.package([figure | {"run": None}])["resources"][1]
    assert (found["path"], found["title"]) == ("figures/fig-a.csv", "Latency")
    assert all(each["description"] for each in found["schema"]["fields"])
    assert {each["name"]: each["type"] for each in found["schema"]["fields"]} == {
        "key": "string", "P99 (ms)": "number", "trials": "number",
    }  # fmt: skip
    assert tables.csv_text(data["columns"], data["data"]).splitlines()[0] == "key,P99 (ms),trials"


def test_it_is_written_with_a_book_that_has_all_claims(tmp_path: Path) -> None:
    app: Any = SimpleNamespace(
        env=SimpleNamespace(found_docs={"book/verdicts"}), srcdir=str(tmp_path), outdir=str(tmp_path)
    )
    data_package.write(app)
    assert json.loads((tmp_path / verdict_files.PACKAGE).read_text("utf-8"))["profile"] == "tabular-data-package"


def test_the_page_offers_them() -> None:
    assert [link["path"] for link in verdict_files.links().findall(SiteLink)] == [
        "book/claims.csv", "book/claims.parquet", "book/claims.json", "datapackage.json",
    ]  # fmt: skip
    assert "decimal commas" in verdict_files.links().astext()
