"""A project for a note of one's own: its text, a ledger to fill in, a chapter that measures something, pages."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import yaml

import benchbook
from benchbook import nofollow
from benchbook.claims import conditions
from benchbook.claims.ledger import COLUMNS
from benchbook.errors import BenchbookError, StoredRunError
from benchbook.experiments import catalogue, notebook
from benchbook.pages import page
from benchbook.store import atomic

FAMILIES = {
    "features": "own_server",
    "pgbench": "contended_rows",
    "badger": "beyond_memory",
    "kv": "filter_shards",
}
"""Family to the chapter of the book that a trial begins as: without claims, and short."""
PAGES = Path(__file__).parent / "trial_pages"
_NAME = re.compile(r"[a-z][a-z0-9_]{2,40}")
_NUMBER = re.compile(r"\d")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_SPACES = re.compile(r"\s+")
LONGEST_QUOTE = 300


def source(family: str | None, chapter: str | None) -> str:
    """The chapter that a trial begins as: a family's, or the one that is named.

    Raises BenchbookError for none and for both, for one that there is not, and for a chapter that measures nothing or
    answers claims of the book's notes, which its words and numbers name.
    """
    if (family is None) == (chapter is None):
        raise BenchbookError(
            "a trial begins as one chapter", f"give --family {'|'.join(FAMILIES)}, or --from with a chapter's name"
        )
    if family is not None:
        if family not in FAMILIES:
            raise BenchbookError(f"there is no family {family!r}", f"choose one of: {', '.join(FAMILIES)}")
        return FAMILIES[family]
    without = [name for name in sorted({*catalogue.names()} - {*catalogue.analyses()}) if not _claimed(name)]
    if chapter not in without:
        what = "answers claims of its own" if chapter in catalogue.names() else "is none of this book"
        raise BenchbookError(
            f"a trial cannot begin as {chapter!r}, which {what}", f"choose one of: {', '.join(without)}"
        )
    return chapter


def _claimed(name: str) -> bool:
    """Whether it answers claims, or simulates."""
    chapter = catalogue.experiment(name)
    return not chapter.engine or bool(chapter.page.page.front.claims)


def new(note: Path, source: str, folder: Path) -> str:
    """Make the project; its chapter has the note's name and begins as ``source``. Gives that name.

    Raises BenchbookError for a note that cannot be read, and a folder that exists.
    """
    text, name = _read(note), _name(note.stem)
    with atomic.new_folder(folder) as making:
        _fill(making, folder, name, source, text)
    return name


def _read(note: Path) -> str:
    try:
        text = nofollow.words(note)
    except StoredRunError as error:
        raise BenchbookError(error.problem, "name a note") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BenchbookError(f"{note} cannot be read as a text ({type(error).__name__})", "name a note") from None
    if not text.strip():
        raise BenchbookError(f"{note} is empty", "name a note with something to try")
    return text


def _name(stem: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")
    if not _NAME.fullmatch(name) or name in catalogue.names():
        raise BenchbookError(
            f"a chapter cannot be called {name!r}",
            "give the note's file another name: three letters, digits or underscores at least, and no chapter's",
        )
    return name


def _fill(folder: Path, target: Path, name: str, source: str, text: str) -> None:
    """Fill an empty folder of ours. target: where it will lie."""
    home = Path(benchbook.__file__).parents[2]
    title = name.replace("_", " ").capitalize()
    (folder / "data" / "notes").mkdir(parents=True)
    (folder / "data" / "published").mkdir()
    (folder / "data" / "notes" / f"{name}.md").write_text(text, "utf-8")
    _ledger(folder / "data", name, text)
    chapters, theirs = folder / "chapters", Path(benchbook.__file__).parent / "chapters"
    chapters.mkdir()
    for path in theirs.rglob("*"):  # a module and a page
        if path.suffix in (".py", ".md") and source in (path.stem, path.parent.name):
            place = chapters / path.relative_to(theirs).as_posix().replace(source, name, 1)
            place.parent.mkdir(exist_ok=True)
            place.write_text(_renamed(path.read_text("utf-8"), source, name), "utf-8")
    own, of = chapters / f"{name}.md", catalogue.experiment(source)
    _judged(own, title)
    (folder / "notebooks").mkdir()
    chapter = replace(of, package=_renamed(of.package, source, name), title=title)
    text = notebook.text(chapter, page.read(own).blocks, of.Parameters)
    (folder / "notebooks" / f"{name}.ipynb").write_text(text, "utf-8")
    shutil.copytree(PAGES, folder / "book")
    looks = _looks(home, folder, target)
    index = folder / "book" / "index.md"
    index.write_text(index.read_text("utf-8").replace("TITLE", title).replace("CHAPTER", name), "utf-8")
    (folder / "data" / "notes" / "documents.csv").write_text(
        _csv(("note", "title"), [{"note": name, "title": title}]), "utf-8"
    )
    (folder / "CITATION.cff").write_text(_citation(title), "utf-8")
    (folder / "_config.yml").write_text(_configuration(home / "_config.yml", title, looks), "utf-8")
    (folder / "_toc.yml").write_text(_contents(name), "utf-8")
    (folder / ".gitignore").write_text("_build\nruns\nforeign\n__pycache__\nbook/chapters\n", "utf-8")


def _renamed(text: str, source: str, name: str) -> str:
    """Names of the package and of figures; a figure's id is unique in a book, and this is another one."""
    text = re.sub(rf"\b(chapters\.|benchbook run ){source}\b", rf"\g<1>{name}", text)
    return text.replace(f"fig-{source.replace('_', '-')}", f"fig-{name.replace('_', '-')}")


def _judged(path: Path, title: str) -> None:
    """Show the claims' verdicts on a page of a chapter without claims, give it its title, name no page of the book."""
    text = re.sub(r"{doc}`[^`]*`", "Benchbook", path.read_text("utf-8"))
    text = re.sub(r"(?m)^subject: .*$", f"subject: {title}", text, count=1)
    head, lesson, rest = text.rpartition(":::{lesson}")
    after = re.search(r"(?m)^(## |:::{part})", rest)
    place = len(rest) if after is None else after.start()
    path.write_text(f"{head}{lesson}{rest[:place]}## Verdicts\n\n:::{{verdicts}}\n:::\n\n{rest[place:]}", "utf-8")


def _ledger(data: Path, name: str, text: str) -> None:
    """One row to go on from: the note's first sentence with a number, and nothing that only its writer can decide."""
    prose = (part for part in re.split(r"\n\s*\n", text) if not part.lstrip().startswith(("#", "|", "```")))
    sentences = [_SPACES.sub(" ", each).strip(" *->") for part in prose for each in _SENTENCE.split(part)]
    quote = next((each for each in sentences if _NUMBER.search(each) and len(each) <= LONGEST_QUOTE), "")
    row = dict.fromkeys(COLUMNS, "") | {
        "id": "T001", "note": name, "section": "", "quote": quote, "kind": "measured", "chapter": name,
        "experiment": "T1", "primary": "yes", "testable": "here", "portable": "yes",
    }  # fmt: skip
    (data / "claims.csv").write_text(_csv(COLUMNS, [row]), "utf-8")
    (data / conditions.FILE).write_text(_csv(conditions.COLUMNS, []), "utf-8")
    columns = ("id", "column", "old", "new", "date", "reason", "data_seen")
    (data / "claims-amendments.csv").write_text(_csv(columns, []), "utf-8")
    planned = {"id": "T1", "title": f"what {name} says", "note": name, "chapter": name}
    (data / "experiments.csv").write_text(_csv(tuple(planned), [planned]), "utf-8")


def _csv(columns: tuple[str, ...], rows: list[Mapping[str, str]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _looks(home: Path, folder: Path, target: Path) -> str:
    """Where styles and scripts of pages lie, as the trial's settings name it: the clone's own, or copies elsewhere."""
    if target.resolve().is_relative_to(home.resolve()):
        return Path(os.path.relpath(home.resolve() / "book", target.resolve())).as_posix()
    for each in ("_static", "_templates"):
        shutil.copytree(home / "book" / each, folder / "book" / each)
    return "book"


def _configuration(source: Path, title: str, looks: str) -> str:
    content = yaml.safe_load(source.read_text("utf-8"))
    content["title"] = title
    content["author"] = "the author of this trial"
    content["exclude_patterns"] = [".*", "_build", "data", "notebooks", "chapters", "runs", "foreign", "README.md"]
    content["bibtex_bibfiles"] = ["book/references.bib"]
    own = content["sphinx"]["config"]
    own["html_static_path"], own["templates_path"] = [f"{looks}/_static"], [f"{looks}/_templates"]
    own["html_favicon"] = f"{looks}/_static/favicon.svg"
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True)


def _citation(title: str) -> str:
    content = {
        "cff-version": "1.2.0", "message": "To cite one figure, use the reference printed below it.", "title": title,
        "type": "software", "version": "0.1.0", "date-released": datetime.now(UTC).date(),
        "authors": [{"name": "the author of this trial"}], "abstract": "A published note on trial.",
    }  # fmt: skip
    return yaml.safe_dump(content, sort_keys=False)


def _contents(name: str) -> str:
    pages = ("verdicts", "learned", "steadiness", "figures", "runs")
    chapters = [f"book/chapters/{name}", *(f"book/{each}" for each in pages)]
    contents = {"format": "jb-book", "root": "book/index", "chapters": [{"file": each} for each in chapters]}
    return yaml.safe_dump(contents, sort_keys=False)
