"""Every claim with its verdict as files that a program reads: one row a claim as CSV, Parquet and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

from benchbook.book.parts import names, tables
from benchbook.book.parts.nodes import SiteLink
from benchbook.store import atomic

if TYPE_CHECKING:
    import pandas as pd

    from benchbook.book.records.judged import Judged

CSV, PARQUET, JSON = "book/claims.csv", "book/claims.parquet", "book/claims.json"
"""Where they lie in the rendered book."""
PACKAGE = "datapackage.json"
"""What describes their columns, at its top."""
FIELDS: dict[str, tuple[str, str]] = {
    "claim_id": ("string", "id of the claim, such as L001"),
    "note": ("string", "number of the note that says it"),
    "section": ("string", "section of the note"),
    "quote": ("string", "the note's words"),
    "said": ("string", "the same in plain words, to be read after “that”; empty where no chapter tells of it"),
    "main_claim": ("boolean", "whether it was marked as a main claim before anything was measured"),
    "chapter": ("string", "chapter that judges it"),
    "estimand": ("string", "the quantity that was registered"),
    "unit": ("string", "unit of value, value_low and value_high"),
    "rule": ("string", "how the claim is judged: see the page Methods"),
    "low": ("number", "lower end of the region in which it holds"),
    "high": ("number", "upper end of the region in which it holds"),
    "margin": ("number", "margin of the region, as a share"),
    "verdict": (
        "string",
        "holds, another size, no effect, wrong, depends on the host, depends on a condition, open: its reason, "
        "or not judged",
    ),
    "reason": ("string", "the reason in a sentence"),
    "decided_by": ("string", "what the verdict stands on"),
    "value": ("number", "the number of this book"),
    "value_low": ("number", "lower end of its 95 % interval"),
    "value_high": ("number", "upper end of its 95 % interval"),
    "replicates": ("integer", "blocks, trials or visits behind the interval"),
    "interval": ("string", "name of the interval"),
    "rests_on": ("string", "kind of quantity, which decides what a verdict needs, and where it was measured"),
    "visits": ("integer", "visits behind the verdict: sessions on one processor, less than 12 hours apart"),
    "processors": ("string", "processor models that it was measured on, with semicolons between them"),
    "look": ("integer", "look at the data at which it was decided: 1 is the planned one"),
    "open_because": ("string", "what leaves an open claim open, in few words"),
    "visits_needed": ("integer", "further visits that would decide an open claim, were point and spread to stay"),
    "blocks": ("integer", "blocks of the chapter's runs"),
    "hosts": ("integer", "kinds of host of the chapter's runs"),
    "measured_until": ("date", "day of the chapter's last trial"),
    "run_ids": ("string", "ids of the chapter's runs, with spaces between them"),
    "figure_id": ("string", "figure that shows it"),
    "address": ("string", "its entry, from the top of the book"),
    "amendments": ("integer", "changes of its reading, region or estimand since it was registered"),
}
"""Column to its type (of Frictionless Table Schema) and meaning, in the order of the file."""


def records(judged: Sequence[Judged], lessons: Iterable[Mapping[str, Any]] = ()) -> list[dict[str, Any]]:
    """One plain record per claim, in the ledger's order: what was claimed, what was registered, how it came out."""
    from benchbook.book.records.basis import basis

    taught = {each["chapter"]: each for each in lessons}
    said = {found["claim_id"]: found["said"] for each in taught.values() for found in each["findings"]}
    return [
        {
            "claim_id": each.claim.id,
            "note": each.claim.note,
            "section": each.claim.section,
            "quote": each.claim.quote,
            "said": said.get(each.claim.id, ""),
            "main_claim": each.claim.primary,
            "chapter": each.claim.chapter,
            "estimand": each.claim.estimand,
            "unit": each.claim.unit,
            "rule": str(each.claim.rule),
            "low": each.claim.low,
            "high": each.claim.high,
            "margin": each.claim.margin,
            "verdict": str(each.outcome),
            "reason": each.verdict.reason,
            "decided_by": str(basis(each)),
            **_number(each),
            "rests_on": each.verdict.rests_on,
            "visits": each.verdict.visits or None,
            "processors": "; ".join(each.verdict.processors),
            "look": each.verdict.look,
            "open_because": each.verdict.why,
            "visits_needed": each.verdict.visits_needed,
            **_stands_on(taught.get(each.judged_by, {}).get("basis", {})),
            "figure_id": each.verdict.figure_id,
            "address": f"{names.PAGE}.html#{names.anchor(each.claim.id)}",
            "amendments": len(each.claim.amendments),
        }
        for each in judged
    ]


def _number(judged: Judged) -> dict[str, Any]:
    found, names = judged.verdict.estimate, ("value", "value_low", "value_high", "replicates", "interval")
    if found is None:
        return dict.fromkeys(names)
    return dict(zip(names, (found.point, found.low, found.high, found.n, found.method), strict=True))


def _stands_on(basis: Mapping[str, Any]) -> dict[str, Any]:
    counts = {name: basis.get(name) for name in ("blocks", "hosts")}
    return counts | {"measured_until": basis.get("until"), "run_ids": " ".join(basis.get("runs", ()))}


def links() -> nodes.paragraph:
    """A line that offers them."""
    line = nodes.paragraph("", "All claims with their verdicts, as files: ", classes=["benchbook-files"])
    line += [SiteLink(path=CSV, words="CSV", download=True), nodes.Text(" · ")]
    line += [SiteLink(path=PARQUET, words="Parquet", download=True), nodes.Text(" · ")]
    line += [SiteLink(path=JSON, words="JSON", download=True), nodes.Text(" · what each column means: ")]
    line += SiteLink(path=PACKAGE, words="data package", download=True)
    line += nodes.Text(f". {tables.DECIMALS}")
    return line


def write(folder: Path, judged: Sequence[Judged], lessons: Iterable[Mapping[str, Any]] = ()) -> None:
    """The files below the folder of the rendered book."""
    found = records(judged, lessons)
    table = tables.CSV_MARK + tables.csv_text([*FIELDS], ([each[name] for name in FIELDS] for each in found))
    for name, content in ((CSV, table), (JSON, json.dumps(found, indent=1, ensure_ascii=False) + "\n")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        atomic.write_text(folder / name, content)
    atomic.write(folder / PARQUET, lambda path: _typed(found).to_parquet(path, index=False))


def _typed(found: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The same with a type for each column, as FIELDS has them; a missing value is missing."""
    import pandas as pd  # late: pages without this table load none

    types = {"number": "Float64", "integer": "Int64", "boolean": "boolean"}
    table = pd.DataFrame([[each[name] for name in FIELDS] for each in found], columns=[*FIELDS])
    return table.astype({name: types.get(kind, "string") for name, (kind, _) in FIELDS.items()})
