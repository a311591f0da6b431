"""The notes' numbers: every table is described, and the description is that of the table."""

import csv
import json
import math
from pathlib import Path

import pytest

NOTES = Path(__file__).parents[1] / "data" / "notes"
RELEASES = {"facebook/rocksdb 10.4.2 as in the crate librocksdb-sys"}
"""What the notes' projects build, beside their own repositories."""
RESOURCES = json.loads((NOTES / "datapackage.json").read_text())["resources"]
OF_THE_BOOK = {"documents", "readings"}
"""Tables that are not copied from a note; each row of them names its own place."""


def rows_of(name: str) -> list[dict[str, str]]:
    """Of the table of this name, or in this file."""
    with (NOTES / name).with_suffix(".csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_table_is_in_the_package() -> None:
    assert {resource["path"] for resource in RESOURCES} == {
        path.relative_to(NOTES).as_posix() for path in NOTES.rglob("*.csv")
    }


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource["name"])
def test_a_table_has_the_described_columns_types_and_key(resource: dict) -> None:
    rows = rows_of(resource["path"])
    fields = resource["schema"]["fields"]
    assert list(rows[0]) == [field["name"] for field in fields]
    assert all(field["description"] for field in fields)
    for field in fields:
        values = [row[field["name"]] for row in rows if row[field["name"]]]
        if field["type"] in ("number", "integer"):
            assert all(math.isfinite(float(value)) for value in values), field["name"]
            assert field["type"] == "number" or all(float(value).is_integer() for value in values), field["name"]
    keys = [tuple(row[name] for name in resource["schema"]["primaryKey"]) for row in rows]
    assert len(set(keys)) == len(keys)


def test_a_table_of_a_note_names_the_note_and_its_sections() -> None:
    titles = {row["note"]: row["title"] for row in rows_of("documents")}
    for resource in RESOURCES:
        assert resource["name"] in OF_THE_BOOK or resource["sources"], resource["name"]
        for source in () if resource["name"] in OF_THE_BOOK else resource["sources"]:
            note, title = source["title"][:3], source["title"][5:]
            assert title.startswith(titles[note]), resource["name"]
            assert len(title) > len(titles[note]) + 2, f"{resource['name']}: the sections"


def test_a_range_is_in_order() -> None:
    for resource in RESOURCES:
        names = [field["name"] for field in resource["schema"]["fields"]]
        for low in (name for name in names if name.endswith("_lo") or "_lo_" in name):
            high = low.replace("_lo", "_hi")
            assert high in names, low
            for row in rows_of(resource["name"]):
                assert not (row[low] and row[high]) or float(row[low]) <= float(row[high])


def test_every_reading_says_where_it_was_read_and_quotes_briefly() -> None:
    sources = {row["repository"] for row in rows_of("documents")} | RELEASES
    for row in rows_of("readings"):
        assert any(row["source"].startswith(source) for source in sources), row["id"]
        assert row["working"].strip()
        assert len(row["quote"].split()) <= 20


def test_a_price_has_the_date_of_its_note() -> None:
    dates = {row["note"]: row["date"] for row in rows_of("documents")}
    for row in rows_of("prices"):
        assert row["date"] == dates[row["note"]]
        assert float(row["price"]) > 0
        assert f"{float(row['price']):,.0f}" in row["price_text"], "the price is the printed one"


@pytest.mark.parametrize(("timeline", "run"), [("c8gb_timeline", "run"), ("r8g_timeline", "round")])
def test_a_timeline_goes_forward_in_five_second_steps(timeline: str, run: str) -> None:
    rows = rows_of(timeline)
    for number in {row[run] for row in rows}:
        ends = [int(row["t_s"]) for row in rows if row[run] == number]
        assert ends == sorted(set(ends))
        assert all(end % 5 == 0 and 0 < end <= 60 for end in ends)
