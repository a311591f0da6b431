"""A figure's record in, what is folded below it out: where it is from, how to cite it and to measure it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from docutils import nodes

from benchbook.book.nodes import Folded, SiteLink
from benchbook.book.references import FORMATS, SUFFIXES
from benchbook.book.tables import table

FILES = {
    "csv": "table (CSV)",
    "json": "drawing (plotly JSON)",
    "metadata.json": "record (JSON)",
    "svg": "SVG",
    "png": "PNG",
    "pdf": "PDF",
}
"""Suffix to words, of the files that may lie beside a figure's own page."""
LEXERS = {"bibtex": "bibtex", "ris": "text", "csl": "json", "text": "text"}
NAMES = {"bibtex": "BibTeX", "ris": "RIS", "csl": "CSL-JSON", "text": "text"}


def record_nodes(record: Mapping[str, Any], suffixes: frozenset[str]) -> list[nodes.Node]:
    """What is folded below one figure. suffixes: of the files that exist for it."""
    folded = Folded(summary="Origin, citation, files")
    folded += _links(record, suffixes)
    folded += _facts(record)
    if record["run"]:
        folded += _settings(record["run"])
    folded += _again(record)
    folded += _citations(record)
    return [*stale(record), folded]


def stale(record: Mapping[str, Any]) -> list[nodes.Node]:
    """One visible line when today's code would measure another way; nothing otherwise."""
    reasons = (record["run"] or {}).get("stale", ())
    if not reasons:
        return []
    return [nodes.paragraph("", f"Measured earlier: {' '.join(reasons)}", classes=["benchbook-stale"])]


def _links(record: Mapping[str, Any], suffixes: frozenset[str]) -> nodes.paragraph:
    address = record.get("address", "figures")
    line = nodes.paragraph("", "", classes=["benchbook-files"])
    line += SiteLink(path=f"{address}/{record['id']}.html", words="Page of this figure", download=False)
    for suffix, words in FILES.items():
        if suffix in suffixes:
            line += nodes.Text(" · ")
            line += SiteLink(path=f"{address}/{record['id']}.{suffix}", words=words, download=True)
    return line


def _facts(record: Mapping[str, Any]) -> nodes.table:
    run = record["run"]
    rows = [["figure", record["id"]]]
    if record["interval"]:
        rows.append(["interval", record["interval"]])
    if run:
        rows += [
            ["run", run["run_id"]],
            ["profile", f"{run['profile']}, {'published' if run['published'] else 'local'}"],
            [
                "measured",
                f"{run['measured'].replace('T', ' ').replace('+00:00', ' UTC')}, in {run['minutes']:g} minutes",
            ],
            ["evidence", f"{run['blocks']} blocks, {run['trials']} trials"],
            ["engine", run["engine"]],
            ["machine", run["host"]],
            ["commit", run["commit"]],
            ["noise floor", record.get("noise_floor", "")],
            *([f"SHA-256 of {name}", digest] for name, digest in run["files"].items()),
        ]
    else:
        rows.append(["source", record["run_id"] or record["source"]])
    rows.append(["SHA-256 of the figure's table", record["data_sha256"]])
    return table(["", ""], [row for row in rows if row[1]], ["benchbook-facts"])


def _settings(run: Mapping[str, Any]) -> Folded:
    part: Folded = Folded(summary="Parameters of the run")
    rows = [[each["name"], each["value"], each["unit"], each["meaning"]] for each in run["settings"]]
    part += table(["parameter", "value", "unit", "meaning"], rows, ["benchbook-data-table"])
    return part


def _again(record: Mapping[str, Any]) -> list[nodes.Node]:
    run = record["run"]
    minutes = f" It took {run['minutes']:g} minutes on the machine above." if run and run["minutes"] else ""
    text = f"Measure it again with the same parameters:{minutes}" if run else "Compute it again:"
    return [nodes.paragraph("", text), literal(record["command"], "console")]


def _citations(record: Mapping[str, Any]) -> list[nodes.Node]:
    parts: list[nodes.Node] = [nodes.paragraph("", "Cite it:"), literal(record["citations"]["text"].strip(), "text")]
    for form in FORMATS:
        if form != "text":
            part = Folded(summary=NAMES[form])
            part += literal(record["citations"][form].replace("\r\n", "\n").strip(), LEXERS[form])
            line = nodes.paragraph()
            line += SiteLink(
                path=f"{record.get('address', 'figures')}/{record['id']}.{SUFFIXES[form]}",
                words="as a file",
                download=True,
            )
            part += line
            parts.append(part)
    return parts


def literal(text: str, lexer: str) -> nodes.literal_block:
    """A block of text with the theme's copy button."""
    return nodes.literal_block(text, text, language=lexer, linenos=False)
