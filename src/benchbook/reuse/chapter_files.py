"""A chapter begun as another one: its module, its page and the notebook that is made of them, under another name."""

import re
from dataclasses import replace
from pathlib import Path

import benchbook
from benchbook import project
from benchbook.errors import BenchbookError
from benchbook.experiments import catalogue, notebook
from benchbook.pages import page
from benchbook.store import atomic

_NAME = re.compile(r"[a-z][a-z0-9_]{2,40}")
_HEAD = {"leads": "", "version": "version: 1\n"}
"""Lines of a page's head that a beginning has not from its source, and what it has instead."""


def checked_name(name: str, mend: str) -> str:
    """A name that a chapter may have and that none has; raises BenchbookError for any other."""
    if not _NAME.fullmatch(name) or name in catalogue.names():
        raise BenchbookError(f"a chapter cannot be called {name!r}", mend)
    return name


def from_which(chapter: str) -> str:
    """A chapter that another may begin as: one that measures and answers no claims, which its words would name."""
    without = [name for name in catalogue.names() if _plain(name)]
    if chapter not in without:
        known = chapter in catalogue.names()
        what = "answers claims of its own, or measures nothing" if known else "is none of this book"
        raise BenchbookError(f"nothing begins as {chapter!r}, which {what}", f"choose one of: {', '.join(without)}")
    return chapter


def _plain(name: str) -> bool:
    chapter = catalogue.experiment(name)
    return bool(chapter.engine) and not chapter.page.page.front.claims


def write(name: str, source: str, chapters: Path, notebooks: Path, title: str, *, judged: bool) -> None:
    """Write the three files into folders that are there. judged: whether its page shows verdicts on claims."""
    theirs = Path(benchbook.__file__).parent / "chapters"
    for suffix in (".py", ".md"):
        text = _renamed((theirs / f"{source}{suffix}").read_text("utf-8"), source, name)
        atomic.write_text(chapters / f"{name}{suffix}", _begun(text, title, judged) if suffix == ".md" else text)
    of = catalogue.experiment(source)
    made = replace(of, package=f"{of.package.rpartition('.')[0]}.{name}", title=title)
    text = notebook.text(made, page.read(chapters / f"{name}.md").blocks, of.Parameters)
    atomic.write_text(notebooks / f"{name}.ipynb", text)


def add(name: str, source: str) -> list[Path]:
    """Begin a chapter of this book, in the contents below the one that it begins as; the files that were written."""
    root = project.root()
    chapters, contents = root / "src" / "benchbook" / "chapters", root / "_toc.yml"
    if not chapters.is_dir():
        raise BenchbookError(f"{root} is no clone of the book", "put a note of yours on trial: `benchbook trial new`")
    checked_name(name, "three letters, digits or underscores at least, and no chapter's")
    write(name, from_which(source), chapters, project.notebooks(), name.replace("_", " ").capitalize(), judged=False)
    line = re.compile(rf"^( *- file: book/chapters/){source}$", re.M)
    atomic.write_text(contents, line.sub(rf"\g<0>\n\g<1>{name}", contents.read_text("utf-8")))
    return [chapters / f"{name}.py", chapters / f"{name}.md", project.notebooks() / f"{name}.ipynb", contents]


def _renamed(text: str, source: str, name: str) -> str:
    """Names of the module and of figures; a figure's id is unique in a book, and this is another one."""
    text = re.sub(rf"\b(chapters\.|benchbook run ){source}\b", rf"\g<1>{name}", text)
    return text.replace(f"fig-{source.replace('_', '-')}", f"fig-{name.replace('_', '-')}")


def _begun(text: str, title: str, judged: bool) -> str:
    text = re.sub(r"(?m)^subject: .*$", f"subject: {title}", text, count=1)
    for key, instead in _HEAD.items():
        text = re.sub(rf"(?m)^{key}: .*\n", instead, text, count=1)
    if not judged:
        return text
    text = re.sub(r"{doc}`[^`]*`", "Benchbook", text)  # pages of the book are none of a trial
    head, lesson, rest = text.rpartition(":::{lesson}")
    after = re.search(r"(?m)^(## |:::{part})", rest)
    place = len(rest) if after is None else after.start()
    return f"{head}{lesson}{rest[:place]}## Verdicts\n\n:::{{verdicts}}\n:::\n\n{rest[place:]}"
