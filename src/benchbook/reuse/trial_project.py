"""A project for a note of one's own: its text, a ledger to fill in, a chapter that measures something, pages."""

import csv
import io
import os
import re
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import yaml

import benchbook
from benchbook import nofollow
from benchbook.claims import conditions
from benchbook.claims.ledger import COLUMNS
from benchbook.errors import BenchbookError, StoredRunError, check_known
from benchbook.reuse import chapter_files
from benchbook.store import atomic

FAMILIES = {"features": "own_server", "pgbench": "contended_rows", "badger": "beyond_memory", "kv": "filter_shards"}
"""Family to the chapter of the book that a trial begins as: without claims, and short."""
PAGES = Path(__file__).parent / "trial_pages"
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
        check_known("there is no family", family, FAMILIES)
        return FAMILIES[family]
    assert chapter is not None
    return chapter_files.from_which(chapter)


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
    mend = "give the note's file another name: three letters, digits or underscores at least, and no chapter's"
    return chapter_files.checked_name(name, mend)


def _fill(folder: Path, target: Path, name: str, source: str, text: str) -> None:
    """Fill an empty folder of ours. target: where it will lie."""
    home = Path(benchbook.__file__).parents[2]
    title = name.replace("_", " ").capitalize()
    for each in ("data/notes", "data/published", "chapters", "notebooks"):
        (folder / each).mkdir(parents=True)
    chapter_files.write(name, source, folder / "chapters", folder / "notebooks", title, judged=True)
    shutil.copytree(PAGES, folder / "book")
    looks = _looks(home, folder, target)
    index = (folder / "book" / "index.md").read_text("utf-8")
    files = _ledger(name, text) | {
        "book/index.md": index.replace("TITLE", title).replace("CHAPTER", name),
        f"data/notes/{name}.md": text,
        "data/notes/documents.csv": _csv(("note", "title"), [{"note": name, "title": title}]),
        "CITATION.cff": _citation(title),
        "_config.yml": _configuration(home / "_config.yml", title, looks),
        "_toc.yml": _contents(name),
        ".gitignore": "_build\nruns\nforeign\n__pycache__\nbook/chapters\n",
    }
    for path, content in files.items():
        (folder / path).write_text(content, "utf-8")


def _ledger(name: str, text: str) -> dict[str, str]:
    """One row to go on from: the note's first sentence with a number, and nothing that only its writer can decide."""
    prose = (part for part in re.split(r"\n\s*\n", text) if not part.lstrip().startswith(("#", "|", "```")))
    sentences = [_SPACES.sub(" ", each).strip(" *->") for part in prose for each in _SENTENCE.split(part)]
    quote = next((each for each in sentences if _NUMBER.search(each) and len(each) <= LONGEST_QUOTE), "")
    row = dict.fromkeys(COLUMNS, "") | {
        "id": "T001", "note": name, "section": "", "quote": quote, "kind": "measured", "chapter": name,
        "experiment": "T1", "primary": "yes", "testable": "here", "portable": "yes",
    }  # fmt: skip
    planned = {"id": "T1", "title": f"what {name} says", "note": name, "chapter": name}
    return {
        "data/claims.csv": _csv(COLUMNS, [row]),
        f"data/{conditions.FILE}": _csv(conditions.COLUMNS, []),
        "data/claims-amendments.csv": _csv(("id", "column", "old", "new", "date", "reason", "data_seen"), []),
        "data/experiments.csv": _csv(tuple(planned), [planned]),
    }


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
