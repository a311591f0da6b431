"""A reference in the forms that programs read: BibTeX, CSL-JSON and a line of text."""

import json
from collections.abc import Callable

from pybtex.database import BibliographyData, Entry, Person

from benchbook.book.records.references import Reference
from benchbook.errors import check_known

_SIGNS = str.maketrans(
    {"\\": r"\textbackslash{}", "$": r"\$", "^": r"\^{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}"}
)
"""Signs that LaTeX reads as its own and that pybtex leaves alone; it writes the others, such as %, as LaTeX wants."""
_ADDRESS, _NUMBER = "ADDRESS", "NUMBER"


def bibtex(reference: Reference) -> str:
    """One @misc entry; names of groups stay in one piece, and the address as it is, since nothing is escaped in it."""
    fields = {
        "title": f"{{{reference.title.translate(_SIGNS)}}}",
        "year": reference.year,
        "howpublished": reference.publisher.translate(_SIGNS),
        "version": reference.version,
        "doi": reference.doi and _NUMBER,
        "url": reference.url and _ADDRESS,
        "note": reference.note if reference.url or not reference.file else f"{reference.note}; {reference.file}",
    }
    persons = {"author": [Person(each) if "," in each else Person(last=f"{{{each}}}") for each in reference.authors]}
    entry = Entry("misc", fields={name: value for name, value in fields.items() if value}, persons=persons)
    text = str(BibliographyData({reference.key: entry}).to_string("bibtex"))
    text = text.replace(f'doi = "{_NUMBER}"', f'doi = "{reference.doi}"')
    return text.replace(f'url = "{_ADDRESS}"', f'url = "{reference.url}"')


def csl_json(reference: Reference) -> str:
    """A list with one item, as reference managers import it."""
    item = {
        "id": reference.key,
        "type": "figure" if reference.figure else "software",
        "title": reference.title,
        "author": [_csl_name(name) for name in reference.authors],
        "issued": {"date-parts": [[int(part) for part in reference.date[:10].split("-")]]},
        "container-title": reference.publisher,
        "version": reference.version,
        "note": reference.note,
        "annote": "; ".join(f"related: {each}" for each in reference.related),
        "abstract": reference.abstract,
        "keyword": ", ".join(reference.keywords),
        "DOI": reference.doi,
        "URL": reference.url,
        "archive_location": "" if reference.url else reference.file,
    }
    return json.dumps([{name: value for name, value in item.items() if value}], indent=2, ensure_ascii=False) + "\n"


def _csl_name(name: str) -> dict[str, str]:
    family, comma, given = name.partition(", ")
    return {"family": family, "given": given} if comma else {"literal": name}


def text(reference: Reference) -> str:
    """One line in the manner of the APA."""
    authors = " & ".join(reference.authors)
    doi = f"https://doi.org/{reference.doi}" if reference.doi else ""
    places = "".join(f" {each}" for each in (reference.url or reference.file, doi) if each)
    version = f"version {reference.version}"
    if not reference.figure:
        return f"{authors} ({reference.year}). {reference.title} ({version}).{places}\n"
    return (
        f"{authors} ({reference.year}). {reference.title} [{reference.note}]. "
        f"In {reference.publisher} ({version}).{places}\n"
    )


FORMATS: dict[str, Callable[[Reference], str]] = {"bibtex": bibtex, "csl": csl_json, "text": text}
SUFFIXES = {"bibtex": "bib", "csl": "csl.json", "text": "txt"}


def check(form: str) -> None:
    """Raise BenchbookError, with the nearest name, unless it is one of FORMATS."""
    check_known("there is no citation format", form, FORMATS)


def cite(reference: Reference, form: str) -> str:
    """The reference in one of FORMATS. Raises as ``check``."""
    check(form)
    return FORMATS[form](reference)
