"""The book's tables as a Frictionless data package: what each file and each column is, licence and edition."""

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from benchbook import __version__
from benchbook.book.pages import verdict_files
from benchbook.book.parts.figure_files import FOLDER
from benchbook.book.records import pool_words
from benchbook.book.records.figure_list import behind, records
from benchbook.store import atomic

TABULAR = "tabular-data-resource"
_SAID: dict[str, Any] = {"trueValues": ["yes"], "falseValues": ["no"]}
"""How our tables say whether something is so."""
MEANINGS = {
    "low": "lower end of the interval of the row's number; empty where there are fewer than three blocks",
    "high": "upper end of the interval of the row's number; empty where there are fewer than three blocks",
    "trials": "how many trials the number was made of",
    "blocks": "how many blocks the number was made of: rounds of all configurations in random order",
    "replicates": "how many trials of one block were put together before the blocks were compared",
    "simulated runs": "how many simulated runs the share was counted in",
    "visits": "how many visits the blocks came from: half a day apart, or another kind of processor",
    "block": "number of the block within the run",
    "run": "id of the run",
    "configuration": "the configuration that was measured",
    "setting": "the setting that was changed",
    "comparison": "the two configurations whose ratio or difference the row has",
    "series": "the line or the kind of mark of the figure that the row belongs to",
    "claim": "id of the claim",
    "verdict": "what became of the claim",
    "claimed low": "lower end of what the note claims; empty where it has none",
    "claimed high": "upper end of what the note claims; empty where it has none",
    "measured": "point estimate of the quantity that the claim is about",
    "interval": "how the interval was made",
    "ratio": "the first configuration's mean over the second's; 1 says that they are the same",
    "quantile": "quantile of a trial's latencies",
    "rows": "how many rows the tables or the store had",
    "keys": "which keys were asked for",
    "TPS": "transactions a second",
}
"""Columns that many tables have, by their name without its unit."""


def package(figures: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The descriptor. figures: the records of the book's figures."""
    return {
        "profile": "tabular-data-package",
        "name": "benchbook",
        "title": "Benchbook: published cache-tuning notes, measured again",
        "version": __version__,
        "licenses": [
            {
                "name": "CC-BY-4.0",
                "path": "https://creativecommons.org/licenses/by/4.0/",
                "title": "text, data, figures",
            },
            {"name": "Apache-2.0", "path": "https://www.apache.org/licenses/LICENSE-2.0", "title": "code"},
        ],
        "resources": [_claims(), *map(_figure, figures)],
    }


def _claims() -> dict[str, Any]:
    fields = [
        {"name": name, "type": kind, "description": meaning} | (_SAID if kind == "boolean" else {})
        for name, (kind, meaning) in verdict_files.FIELDS.items()
    ]
    title = "Every claim of the five notes with its verdict"
    return _resource("claims", verdict_files.CSV, title, "One row a claim.", fields, primaryKey="claim_id")


def _figure(figure: Mapping[str, Any]) -> dict[str, Any]:
    data = figure["data"]
    fields = [
        {"name": name, "type": kind, "description": _meaning(name, kind)}
        for place, name in enumerate(map(str, data["columns"]))
        for kind in [_type([row[place] for row in data["data"]])]
    ]
    path = f"{FOLDER}/{figure['id']}.csv"
    made = _resource(figure["id"], path, figure["title"], figure["caption"], fields)
    # Each run that the table was computed from, with its machine and commit; none for one without a run.
    sources = [{"title": _told(run)} for run in behind(figure)]
    return made | ({"sources": sources} if sources else {})


def _meaning(column: str, kind: str) -> str:
    """What stands in a column of a figure's table."""
    name, _, unit = column.removesuffix(")").partition(" (")
    if name not in MEANINGS and kind != "number":
        return f"{name}: names what the row is about"
    meaning = MEANINGS.get(name, f"{name}: the number that the figure shows for the row")
    return f"{meaning}, in {unit}" if unit else meaning


def _told(run: Mapping[str, Any]) -> str:
    blocks, commit = pool_words.many(run["blocks"], "block"), run["commit"] or "not recorded"
    return f"Run {run['run_id']}: {blocks}, measured {run['measured'][:10]}, {run['host']}, commit {commit}"


def _resource(
    name: str, path: str, title: str, description: str, fields: list[dict[str, Any]], **schema: str
) -> dict[str, Any]:
    return {
        "profile": TABULAR, "name": name, "path": path, "title": title, "description": description,
        "format": "csv", "mediatype": "text/csv", "encoding": "utf-8-sig",
        "schema": {"fields": fields, "missingValues": [""]} | schema,
    }  # fmt: skip


def _type(values: Iterable[Any]) -> str:
    """Of a column; units stand in its name."""
    known = [each for each in values if each is not None and not (isinstance(each, float) and math.isnan(each))]
    if known and all(isinstance(each, bool) for each in known):
        return "boolean"
    numbers = known and all(isinstance(each, int | float) and not isinstance(each, bool) for each in known)
    return "number" if numbers else "string"


def write(app: Sphinx) -> None:
    """Put the descriptor at the top of a book that has the page of all claims."""
    if "book/verdicts" in app.env.found_docs:
        text = json.dumps(package(records(Path(app.srcdir))), indent=1, ensure_ascii=False) + "\n"
        atomic.write_text(Path(app.outdir) / verdict_files.PACKAGE, text)
