"""The notes' numbers: every table is described, and the description is that of the table."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

NOTES = Path(__file__).parents[1] / "data" / "notes"
RESOURCES = json.loads((NOTES / "datapackage.json").read_text())["resources"]


def test_every_table_is_in_the_package() -> None:
    assert {resource["path"] for resource in RESOURCES} == {path.name for path in NOTES.glob("*.csv")}


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource["name"])
def test_a_table_has_the_described_columns_types_and_key(resource: dict) -> None:
    with (NOTES / resource["path"]).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    fields = resource["schema"]["fields"]
    assert list(rows[0]) == [field["name"] for field in fields]
    assert all(field["description"] for field in fields)
    for field in fields:
        values = [row[field["name"]] for row in rows if row[field["name"]]]
        if field["type"] in ("number", "integer"):
            assert all(float(value) == float(value) for value in values)
    keys = [tuple(row[name] for name in resource["schema"]["primaryKey"]) for row in rows]
    assert len(set(keys)) == len(keys)
