"""How to cite a figure: BibTeX, RIS, CSL-JSON and a line of text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pybtex.database import BibliographyData, Entry, Person

from benchbook.book.records import pool_words
from benchbook.errors import BenchbookError, suggestion


@dataclass(frozen=True)
class Reference:
    """What is cited. key: of the BibTeX entry. date: ISO, of the measurement. note: figure and run, word for word.

    url: of the figure's page, "" while the book is hosted nowhere. file: what the figure is drawn from, below the
    repository; "" where the run is only on the machine that made it.
    """

    key: str
    title: str
    authors: tuple[str, ...]
    date: str
    version: str
    publisher: str
    url: str
    note: str
    file: str = ""

    @property
    def place(self) -> str:
        """Where the figure is found: its address, else its file."""
        return self.url or self.file

    @property
    def year(self) -> str:
        """The year of the date."""
        return self.date[:4]


def book(root: Path) -> dict[str, Any]:
    """What CITATION.cff says of the book as a whole; raises BenchbookError when it is missing or no YAML."""
    try:
        content = _yaml(root / "CITATION.cff")
    except (OSError, yaml.YAMLError) as error:
        raise BenchbookError(f"CITATION.cff cannot be read ({error})", "restore it, for example from git") from error
    if not isinstance(content, dict):
        content = {}
    missing = [name for name in ("title", "authors", "version") if not content.get(name)]
    if missing:
        raise BenchbookError(f"CITATION.cff lacks {', '.join(missing)}", "add what is missing")
    return dict(content)


def _yaml(path: Path) -> Any:
    return _read(path, path.stat().st_mtime_ns)


@cache
def _read(path: Path, _moment: int) -> Any:
    """Read once: a book cites some hundred figures, and this is a slow format to read."""
    return yaml.safe_load(path.read_text("utf-8"))


def base_url(root: Path) -> str:
    """Where the book is hosted, html.baseurl in _config.yml, with a slash at its end; "" where it says none."""
    content = _yaml(root / "_config.yml")
    url = str((content.get("html") or {}).get("baseurl") or "")
    return url if not url or url.endswith("/") else f"{url}/"


def of_figure(root: Path, figure: Mapping[str, Any]) -> Reference:
    """The reference of one figure. figure: id, title, run_id and date (ISO); run: what is known of its run, if it has.

    A figure of several runs, pooled, names all of them. A figure of a run that is not published says so and has neither
    address nor file: both would show another.
    """
    whole = book(root)
    behind = figure.get("run") or {}
    run = _runs(figure, behind)
    local = bool(behind) and not behind["published"]
    if local:
        run += f" ({behind['profile']} profile, local run on one machine, not published)"
    base = "" if local else base_url(root)
    return Reference(
        key=f"benchbook-{figure['id']}",
        title=figure["title"],
        authors=tuple(name_of(author) for author in whole["authors"]),
        date=figure["date"],
        version=str(whole["version"]),
        publisher=str(whole["title"]),
        url=f"{base}figures/{figure['id']}.html" if base else "",
        note=f"Figure {figure['id']}{run}",
        file="" if local else _file(figure),
    )


def _runs(figure: Mapping[str, Any], behind: Mapping[str, Any]) -> str:
    """The runs of a figure, all of them by name, and what they are together."""
    names = [*(each["run_id"] for each in behind.get("pooled_with", [])), figure["run_id"]]
    if len(names) == 1:
        return f", run {names[0]}" if names[0] else ""
    pool = behind.get("pool")
    what = f": {pool_words.sentence(pool)}" if pool else ""
    return f", runs {pool_words.listing(names)}, pooled{what}"


def _file(figure: Mapping[str, Any]) -> str:
    """What a published figure is drawn from, as a path in the repository."""
    behind = figure.get("run")
    if behind:
        folder = f"data/published/{behind['experiment']}"
        return folder if behind.get("pooled_with") else f"{folder}/{behind['run_id']}"
    return FILES.get(str(figure.get("chapter", "")), "data/notes")


def name_of(author: Mapping[str, Any]) -> str:
    """Family name first for a person; a group by its name."""
    given, family = author.get("given-names"), author.get("family-names")
    return f"{family}, {given}" if given and family else str(author.get("name") or family or given)


FILES = {"performance": "data/performance.json", "threats": "data/published"}
"""What the figures that show no single run are drawn from, by the page that they are of."""
_SIGNS = str.maketrans(
    {"\\": r"\textbackslash{}", "$": r"\$", "^": r"\^{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}"}
)
"""Signs that LaTeX reads as its own and that pybtex leaves alone; it writes the others, such as %, as LaTeX wants."""
_ADDRESS = "ADDRESS"


def bibtex(reference: Reference) -> str:
    """One @misc entry; names of groups stay in one piece, and the address as it is, since nothing is escaped in it."""
    entry = Entry(
        "misc",
        fields={
            "title": f"{{{reference.title.translate(_SIGNS)}}}",
            "year": reference.year,
            "howpublished": reference.publisher.translate(_SIGNS),
            "edition": reference.version,
            **({"url": _ADDRESS} if reference.url else {}),
            "note": reference.note if reference.url or not reference.file else f"{reference.note}; {reference.file}",
        },
        persons={"author": [_person(name) for name in reference.authors]},
    )
    text = str(BibliographyData({reference.key: entry}).to_string("bibtex"))
    return text.replace(f'url = "{_ADDRESS}"', f'url = "{reference.url}"')


def _person(name: str) -> Person:
    return Person(name) if "," in name else Person(last=f"{{{name}}}")


def ris(reference: Reference) -> str:
    """One record of type FIGURE; lines end as the format asks, with carriage return and line feed."""
    lines = [
        ("TY", "FIGURE"),
        *(("AU", name) for name in reference.authors),
        ("TI", reference.title),
        ("T2", reference.publisher),
        ("PY", reference.year),
        ("DA", reference.date[:10].replace("-", "/")),
        ("ET", reference.version),
        *([("UR", reference.url)] if reference.url else []),
        ("N1", reference.note),
        *([("L1", reference.file)] if reference.file and not reference.url else []),
        ("ER", ""),
    ]
    return "".join(f"{tag}  - {value}\r\n" for tag, value in lines)


def csl_json(reference: Reference) -> str:
    """A list with one item, as reference managers import it."""
    item = {
        "id": reference.key,
        "type": "figure",
        "title": reference.title,
        "author": [_csl_name(name) for name in reference.authors],
        "issued": {"date-parts": [[int(part) for part in reference.date[:10].split("-")]]},
        "container-title": reference.publisher,
        "version": reference.version,
        "note": reference.note,
    }
    if reference.url:
        item["URL"] = reference.url
    elif reference.file:
        item["archive_location"] = reference.file
    return json.dumps([item], indent=2, ensure_ascii=False) + "\n"


def _csl_name(name: str) -> dict[str, str]:
    family, comma, given = name.partition(", ")
    return {"family": family, "given": given} if comma else {"literal": name}


def text(reference: Reference) -> str:
    """One line in the manner of the APA."""
    authors = " & ".join(reference.authors)
    return (
        f"{authors} ({reference.year}). {reference.title} [{reference.note}]. "
        f"In {reference.publisher} (version {reference.version}).{f' {reference.place}' if reference.place else ''}\n"
    )


FORMATS: dict[str, Callable[[Reference], str]] = {"bibtex": bibtex, "ris": ris, "csl": csl_json, "text": text}
SUFFIXES = {"bibtex": "bib", "ris": "ris", "csl": "csl.json", "text": "txt"}


def cite(reference: Reference, form: str) -> str:
    """The reference in one of FORMATS; raises BenchbookError, with the nearest name, for any other."""
    if form not in FORMATS:
        raise BenchbookError(
            f"there is no citation format {form!r}{suggestion(form, FORMATS)}", f"choose one of: {', '.join(FORMATS)}"
        )
    return FORMATS[form](reference)
