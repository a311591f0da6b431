"""What directives have in common: they show what they make of files in the book's source folder."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from benchbook.book.records.figure_list import CHAPTERS

LESSONS_FILE, VERDICTS_FILE = "lessons.json", "verdicts.json"
"""What a build collected from the executed chapters, beside them."""
T = TypeVar("T")


class Shown(SphinxDirective):
    """A directive without content. reads: files below the source folder; when one changes, its page is made again."""

    has_content = False
    reads: ClassVar[tuple[str, ...]] = ()

    def run(self) -> list[nodes.Node]:
        for name in self.reads:
            self.env.note_dependency(name)
        return self.shown(Path(self.env.srcdir))

    def shown(self, root: Path) -> list[nodes.Node]:
        """The same, of the files below this folder."""
        raise NotImplementedError

    def has_chapter(self, name: str) -> bool:
        return f"{CHAPTERS}/{name}" in self.env.found_docs

    def in_order(self, records: Iterable[T], page: Callable[[T], str]) -> list[T]:
        """Records by the place of their page in the book; those of one page stay as they are."""
        contents: Iterable[str] = getattr(self.env, "external_site_map", ())
        places = {name: place for place, name in enumerate(contents)}
        return sorted(records, key=lambda record: places.get(page(record), len(places)))


def of_files(shown: Callable[[Path], list[nodes.Node]], *reads: str) -> type[Shown]:
    """A directive that shows what a function makes of the source folder. reads: as in Shown."""
    return type("OfFiles", (Shown,), {"reads": reads, "shown": lambda self, root: shown(root)})


def collected(root: Path, name: str) -> list[dict[str, Any]]:
    """What stands in a file beside the executed chapters; nothing before a build."""
    path = root / CHAPTERS / name
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8")) if path.is_file() else []
    return found


def beside_chapters(name: str) -> str:
    """Such a file, as ``reads`` names it."""
    return f"{CHAPTERS}/{name}"
