"""How to cite the book as it is built, as text and as files, and which state of the data each version stands for."""

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from benchbook.book.parts.nodes import SiteLink
from benchbook.book.parts.record_nodes import cited, literal
from benchbook.book.parts.tables import Cell, table
from benchbook.book.records import citation_forms, references, site, versions
from benchbook.book.records.citation_forms import FORMATS, SUFFIXES
from benchbook.store import atomic

PAGE, STEM = "book/cite", "book/benchbook"
"""Where it stands, and the files beside it but for their suffixes."""


def shown(root: Path) -> list[nodes.Node]:
    """The reference as a line, what it names, and its other forms, each folded and as a file."""
    book, where = references.of_book(root), site.of(root)
    parts: list[nodes.Node] = [literal(citation_forms.text(book).strip(), "text")]
    rows: list[list[Cell]] = [["version", book.version], ["date", book.date], ["data", versions.state(root)]]
    for name, address, words in (
        ("DOI", where.doi_address, where.doi),
        ("address", where.address, where.address),
        ("code", where.repository, where.repository),
    ):
        if address:
            rows.append([name, nodes.reference("", words, internal=False, refuri=address)])
    parts.append(table(["", ""], [row for row in rows if row[1]], ["benchbook-facts"]))
    for form in FORMATS:
        if form != "text":
            file = SiteLink(path=f"{STEM}.{SUFFIXES[form]}", words="as a file", download=True)
            parts.append(cited(form, citation_forms.cite(book, form), file))
    return parts


def states(root: Path) -> list[nodes.Node]:
    """Which data each released version stands for: a row for each, the newest first."""
    known = [*versions.released(root).values()]
    if not known:
        return [nodes.paragraph("", "No version has been released with a state of its data yet.")]
    rows = [[each.version, each.date, nodes.literal("", each.data_sha256)] for each in reversed(known)]
    return [table(["version", "released", "SHA-256 of data/published/SHA256SUMS"], rows, ["benchbook-runs"])]


def write(app: Sphinx) -> None:
    """Put the reference in every form beside the page."""
    if PAGE in app.env.found_docs:
        book = references.of_book(Path(app.srcdir))
        for form, suffix in SUFFIXES.items():
            atomic.write_text(Path(app.outdir) / f"{STEM}.{suffix}", citation_forms.cite(book, form))
