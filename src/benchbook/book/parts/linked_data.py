"""What a page is, for programs that collect articles and data: as linked data by schema.org, and as citation tags."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from benchbook.book.records.references import Reference
from benchbook.book.records.site import Site

CONTEXT = "https://schema.org"
LICENCE = "https://creativecommons.org/licenses/by/4.0/"
Record = Mapping[str, Any]
_DRAWINGS = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
_TABLE = {"csv": "text/csv", "metadata.json": "application/json"}


def chapter(
    page: str, title: str, text: str, until: str, book: Reference, where: Site, figures: Sequence[Record], *,
    notes: Iterable[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """A chapter as a report. page: from the top of the book. until: the last day of measuring, "" where nothing was.

    text: what it asks and answers. notes: addresses of the notes that it examines. figures: with their files, as
    ``dataset`` wants them.
    """
    return _known(
        {
            "@context": CONTEXT,
            "@type": "Report",
            "@id": _address(where, f"{page}.html"),
            "url": _address(where, f"{page}.html"),
            "name": title,
            "headline": title,
            "abstract": text,
            "dateModified": until or book.date,
            **_shared(book),
            "isPartOf": whole(book, where, brief=True),
            "citation": [*notes],
            "hasPart": [dataset(each, book, where) for each in figures],
        }
    )


def dataset(figure: Record, book: Reference, where: Site) -> dict[str, Any]:
    """The table behind a figure. figure: its record; ``suffixes``: of the files beside its page."""
    folder, identity = figure.get("address", "figures"), figure["id"]
    run, files = figure["run"] or {}, {**_TABLE, **_DRAWINGS}
    return _known(
        {
            "@type": "Dataset",
            "@id": _address(where, f"{folder}/{identity}.html"),
            "url": _address(where, f"{folder}/{identity}.html"),
            "name": f"{figure['title']}: the table of the figure {identity}",
            "description": figure["caption"],
            "identifier": [identity, f"sha256:{figure['data_sha256']}"],
            "temporalCoverage": _covered(run),
            "variableMeasured": [str(each) for each in figure["data"]["columns"]],
            "measurementTechnique": run.get("engine"),
            **_shared(book),
            "distribution": [
                _download(f"{where.address}{folder}/{identity}.{suffix}", kind)
                for suffix, kind in files.items()
                if where.address and suffix in figure.get("suffixes", ())
            ],
        }
    )  # fmt: skip


def whole(
    book: Reference, where: Site, *, brief: bool = False, files: Iterable[tuple[str, str, str]] = ()
) -> dict[str, Any]:
    """The book. brief: without its abstract and its data. files: name, path from its top and media type of its data."""
    found: dict[str, Any] = {
        "@type": ["Book", "Dataset"],
        "name": book.title,
        "@id": where.doi_address or where.address,
        "url": where.address,
        "identifier": where.doi_address,
        "version": book.version,
    }
    if not brief:
        found = {"@context": CONTEXT, **found, **_shared(book)} | {
            "description": book.abstract,
            "dateModified": book.date,
            "keywords": [*book.keywords],
            "citation": [*book.related],
            "isBasedOn": where.repository and {"@type": "SoftwareSourceCode", "codeRepository": where.repository},
            "distribution": [
                _download(f"{where.address}{path}", kind, name) for name, path, kind in files if where.address
            ],
        }
    return _known(found)


def tags(page: str, title: str, text: str, day: str, book: Reference, where: Site) -> Iterator[tuple[str, str]]:
    """Name and content of the tags that reference managers read, of a chapter. Arguments as of ``chapter``."""
    yield "citation_title", title
    yield from (("citation_author", name) for name in book.authors)
    yield "citation_publication_date", day.replace("-", "/")
    yield "citation_inbook_title", f"{book.title} (version {book.version})"
    yield "citation_language", "en"
    yield "citation_abstract", text
    if where.doi:
        yield "citation_doi", where.doi
    if where.address:
        yield "citation_fulltext_html_url", f"{where.address}{page}.html"


def script(data: Mapping[str, Any]) -> str:
    """The element that holds linked data; it runs nothing, and nothing in it can end it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/ld+json">{text}</script>'


def meta(name: str, content: str) -> str:
    """One tag of a page's head."""
    return f'<meta name="{escape(name)}" content="{escape(content)}">'


def _shared(book: Reference) -> dict[str, Any]:
    return {
        "version": book.version,
        "inLanguage": "en",
        "license": LICENCE,
        "isAccessibleForFree": True,
        "creator": [{"@type": "Person" if "," in name else "Organization", "name": name} for name in book.authors],
    }


def _covered(run: Mapping[str, Any]) -> str:
    """When a figure's runs were measured."""
    pool = run.get("pool")
    return f"{pool['started'][:10]}/{pool['finished'][:10]}" if pool else ""


def _download(address: str, kind: str, name: str = "") -> dict[str, Any]:
    return _known({"@type": "DataDownload", "name": name, "encodingFormat": kind, "contentUrl": address})


def _address(where: Site, path: str) -> str:
    return f"{where.address}{path}" if where.address else ""


def _known(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if value not in (None, "", [])}
