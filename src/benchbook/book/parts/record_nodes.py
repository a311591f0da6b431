"""What is folded below a figure: where it is from, how to cite it and to measure it again."""

from collections.abc import Iterable, Mapping
from typing import Any

from docutils import nodes

from benchbook.book.parts import run_nodes
from benchbook.book.parts.nodes import Folded, SiteLink
from benchbook.book.parts.tables import DECIMALS, table
from benchbook.book.records.citation_forms import FORMATS, SUFFIXES

FILES = {
    "csv": "table (CSV)",
    "json": "drawing (plotly JSON)",
    "metadata.json": "record (JSON)",
    "svg": "SVG",
    "png": "PNG",
    "pdf": "PDF",
}
"""Suffix to words, of the files that may lie beside a figure's own page."""
LEXERS = {"bibtex": "bibtex", "csl": "json", "text": "text"}
SHOWN = "bibtex"
"""What stands in a chapter beside the line of text."""
STALE = "benchbook-stale"
NAMES = {"bibtex": "BibTeX", "csl": "CSL-JSON", "text": "text"}


def record_nodes(record: Mapping[str, Any], suffixes: frozenset[str], *, whole: bool = True) -> list[nodes.Node]:
    """What is folded below one figure. suffixes: of the files that exist for it.

    whole: with the run's parameters and every form of citation; a chapter has a line of text and BibTeX, and leaves the
    rest to the figures' pages.
    """
    folded = Folded(summary="Origin, citation, files")
    folded += _links(record, suffixes)
    if whole and "csv" in suffixes:
        folded += nodes.paragraph("", DECIMALS)
    folded += _facts(record)
    if record["run"] and whole:
        folded += run_nodes.every(record)
        folded += _settings(record["run"])
    folded += run_nodes.by_host(record)
    folded += _again(record)
    folded += _citations(record, whole)
    return [*stale(record), folded]


def stale(record: Mapping[str, Any]) -> list[nodes.Node]:
    """One visible line when today's code would measure another way; nothing otherwise."""
    reasons = (record["run"] or {}).get("stale", ())
    return [nodes.paragraph("", f"Measured earlier: {' '.join(reasons)}", classes=[STALE])] if reasons else []


def said_once(document: nodes.document, parts: Iterable[nodes.Node]) -> list[nodes.Node]:
    """The same without such a line that an earlier figure of the page has already, word for word."""
    said = {each.astext() for each in document.findall(nodes.paragraph) if STALE in each["classes"]}
    return [each for each in parts if not (isinstance(each, nodes.paragraph) and each.astext() in said)]


def _links(record: Mapping[str, Any], suffixes: frozenset[str]) -> nodes.paragraph:
    address = record.get("address", "figures")
    line = nodes.paragraph("", "", classes=["benchbook-files"])
    words = "Page of this figure, with the parameters of its run" if record["run"] else "Page of this figure"
    line += SiteLink(path=f"{address}/{record['id']}.html", words=words, download=False)
    for suffix, words in FILES.items():
        if suffix in suffixes:
            line += nodes.Text(" · ")
            line += SiteLink(path=f"{address}/{record['id']}.{suffix}", words=words, download=True)
    return line


def source(figure: Mapping[str, Any], record: Mapping[str, Any] | None) -> nodes.paragraph:
    """The line below a caption: the figure's id, and what it shows. record: what is known of the figure besides."""
    line = nodes.paragraph("", "", nodes.Text("Figure "), classes=["benchbook-source"])
    line += nodes.literal("", figure["id"])
    if figure.get("origin"):
        line += nodes.Text(f" · {figure['origin']}")
    elif figure["run_id"]:
        others = len(((record or {}).get("run") or {}).get("pooled_with", []))
        line += [nodes.Text(" · run "), nodes.literal("", figure["run_id"])]
        line += nodes.Text(f", pooled with {others} other{'s' * (others > 1)}" if others else "")
    return line


def _facts(record: Mapping[str, Any]) -> nodes.table:
    run = record["run"]
    rows = [["figure", record["id"]]]
    if record["interval"]:
        rows.append(["interval", record["interval"]])
    if run:
        rows += [*run_nodes.rows(run), ["noise floor", record.get("noise_floor", "")]]
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
    text = "To compute it again, run this in a clone after make setup:"
    if run := record["run"]:
        prepare = run.get("prepare", "make setup")  # a record of an earlier edition does not say
        text = f"Measure it again with the same parameters, in a clone after {prepare}{run_nodes.took(run)}:"
    return [nodes.paragraph("", text), literal(record["command"], "console")]


def _citations(record: Mapping[str, Any], whole: bool) -> list[nodes.Node]:
    parts: list[nodes.Node] = [nodes.paragraph("", "Cite it:"), literal(record["citations"]["text"].strip(), "text")]
    for form in FORMATS:
        if form == "text":
            continue
        file = SiteLink(
            path=f"{record.get('address', 'figures')}/{record['id']}.{SUFFIXES[form]}",
            words="as a file" if whole or form == SHOWN else f"{NAMES[form]} as a file",
            download=True,
        )
        folded = whole or form == SHOWN
        parts.append(cited(form, record["citations"][form], file) if folded else nodes.paragraph("", "", file))
    return parts


def cited(form: str, text: str, file: SiteLink) -> Folded:
    """A reference in one form, folded, with the link to its file."""
    shown = literal(text.replace("\r\n", "\n").strip(), LEXERS[form])
    return Folded("", shown, nodes.paragraph("", "", file), summary=NAMES[form])


def literal(text: str, lexer: str) -> nodes.literal_block:
    """A block of text with the theme's copy button."""
    return nodes.literal_block(text, text, language=lexer, linenos=False)
