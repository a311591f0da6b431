"""Single chapters as they will look in the book, for whoever writes them: in seconds, and without the other pages."""

from collections.abc import Sequence
from pathlib import Path

import yaml
from filelock import FileLock

from benchbook import project
from benchbook.book.assembly import assemble, chapters
from benchbook.book.assembly.chapter_plan import Shown, plan
from benchbook.book.assembly.progress import Progress
from benchbook.book.records import figure_list
from benchbook.errors import BenchbookError

FOLDER = "preview"
_EXPECTED_S = 6.0
_OF_OTHER_PAGES = ("myst.xref_missing", "ref.", "undefined label", "unknown document", "not found: '")
"""What Sphinx says of a link to a page that is not there."""


def build(names: Sequence[str], shown: Shown, *, quiet: bool = False) -> Path:
    """Execute these chapters where they are not up to date, and return the page of the first.

    Their links to other pages lead nowhere, and figures are numbered from 1. What else Sphinx warns of is told. Raises
    BenchbookError where a chapter fails, or no page comes of it.
    """
    root = project.root()
    output = root / "_build"
    output.mkdir(exist_ok=True)
    with Progress(quiet=quiet) as progress, FileLock(output / "book.lock"):
        progress.expect(_EXPECTED_S)
        chapters.execute(root, plan(root, shown, names), progress)
        if not (root / figure_list.CHAPTERS / figure_list.FIGURES_FILE).is_file():
            made = [each for each in plan(root, shown) if each.target.is_file()]
            chapters.collect(root, made, edition=shown.edition)
        progress.phase("page")
        target = output / FOLDER
        target.mkdir(exist_ok=True)
        first, *others = (f"book/chapters/{name}" for name in names)
        contents: dict[str, object] = {"format": "jb-book", "root": first}
        if others:
            contents["chapters"] = [{"file": each} for each in others]
        toc = target / "_toc.yml"
        toc.write_text(yaml.safe_dump(contents), encoding="utf-8")
        status, log = assemble.render(root, target / "made", "-q", "--toc", str(toc))
        page = target / "made" / "_build" / "html" / f"{first}.html"
        warnings = [line for line in log.splitlines() if "WARNING" in line or "ERROR" in line]
        for line in warnings:
            if not any(each in line for each in _OF_OTHER_PAGES):
                progress.say(line.replace(f"{root}/", ""))
        if status != 0 or not page.is_file():
            raise BenchbookError(f"no page came of {first}: {log.strip()[-2000:]}", "correct the chapter")
    return page
