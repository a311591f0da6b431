"""What is cited: a figure, or the book as a whole, with the version that identifies the data it was made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchbook.book.records import inputs, pool_words, site, versions
from benchbook.errors import BenchbookError


@dataclass(frozen=True)
class Reference:
    """What is cited. key: of the BibTeX entry. date: ISO, of the measurement. note: figure and run, word for word.

    version: with the state of the data where the version alone does not say it. url: of the figure's page, "" while the
    book is hosted nowhere. file: what the figure is drawn from, below the repository; "" where the run is only on the
    machine that made it. doi: of the book. related: addresses of what it examines. figure: whether it is one.
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
    doi: str = ""
    abstract: str = ""
    keywords: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    figure: bool = True

    @property
    def year(self) -> str:
        return self.date[:4]


def book(root: Path) -> dict[str, Any]:
    """What CITATION.cff says of the book as a whole; raises BenchbookError when it is missing or no YAML."""
    try:
        content = inputs.read_once(root / "CITATION.cff", yaml.safe_load)
    except (OSError, yaml.YAMLError) as error:
        raise BenchbookError(f"CITATION.cff cannot be read ({error})", "restore it, for example from git") from error
    if not isinstance(content, dict):
        content = {}
    if missing := [name for name in ("title", "authors", "version") if not content.get(name)]:
        raise BenchbookError(f"CITATION.cff lacks {', '.join(missing)}", "add what is missing")
    return dict(content)


def day(root: Path) -> str:
    """The date of the book's version, ISO: of its release, else of the newest run; raises BenchbookError without."""
    found = str(book(root).get("date-released") or versions.last_day(root))
    if not found:
        raise BenchbookError("CITATION.cff has no date-released, and no run is published", "give the day of release")
    return found


def of_book(root: Path) -> Reference:
    """The reference of the whole book. Raises as ``book`` and ``day``."""
    whole, where = book(root), site.of(root)
    return Reference(
        key="benchbook",
        title=str(whole["title"]),
        authors=tuple(name_of(author) for author in whole["authors"]),
        date=day(root),
        version=versions.cited(root, str(whole["version"])),
        publisher="",
        url=where.address or where.repository,
        note="Text, data and figures under CC BY 4.0, code under Apache-2.0",
        doi=where.doi,
        abstract=" ".join(str(whole.get("abstract") or "").split()),
        keywords=tuple(map(str, whole.get("keywords", ()))),
        related=tuple(f"{each['title']}, {each['url']}" for each in whole.get("references", ()) if each.get("url")),
        figure=False,
    )


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
    base = "" if local else site.of(root).address
    return Reference(
        key=f"benchbook-{figure['id']}",
        title=figure["title"],
        authors=tuple(name_of(author) for author in whole["authors"]),
        date=figure["date"],
        version=versions.cited(root, str(whole["version"])),
        publisher=str(whole["title"]),
        url=f"{base}figures/{figure['id']}.html" if base else "",
        note=f"Figure {figure['id']}{run}",
        file="" if local else _file(figure),
        doi="" if local else site.of(root).doi,
        abstract=str(figure.get("caption") or ""),
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
    if behind := figure.get("run"):
        folder = f"data/published/{behind['experiment']}"
        return folder if behind.get("pooled_with") else f"{folder}/{behind['run_id']}"
    return FILES.get(str(figure.get("chapter", "")), "data/notes")


def name_of(author: Mapping[str, Any]) -> str:
    """Family name first for a person; a group by its name."""
    given, family = author.get("given-names"), author.get("family-names")
    return f"{family}, {given}" if given and family else str(author.get("name") or family or given)


FILES = {"performance": "data/performance.json", "threats": "data/published"}
"""What the figures that show no single run are drawn from, by the page that they are of."""
