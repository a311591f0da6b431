"""What a directive makes of a project's folder, and what a node is as HTML, for tests of pages."""

from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.utils import new_document


def made(
    kind: Any, root: Path, *arguments: str, chapters: Iterable[str] = (), **options: None
) -> tuple[nodes.container, list[str]]:
    """What a directive makes, in one node, and on which files its page depends. chapters: of the book, in order."""
    depends: list[str] = []
    pages = [f"book/chapters/{name}" for name in chapters]
    env = SimpleNamespace(srcdir=root, note_dependency=depends.append, found_docs={*pages}, external_site_map=pages)
    document: Any = new_document("page")
    document.settings.env = env
    state, machine = SimpleNamespace(document=document), SimpleNamespace(reporter=None)
    found = kind("directive", [*arguments], options, None, 1, 0, "", state, machine).run()
    return nodes.container("", *found), [Path(name).name for name in depends]


def text(parts: Iterable[nodes.Node]) -> str:
    """The words of nodes, each on lines of its own."""
    return "\n".join(part.astext() for part in parts)


def html(visit: Callable[[Any, Any], None], node: nodes.Element, page: str = "book/figures") -> str:
    """What a visitor writes for a node on a page, instead of what is in it."""
    writer = SimpleNamespace(body=[], builder=SimpleNamespace(current_docname=page))
    with pytest.raises(nodes.SkipNode):
        visit(writer, node)
    return "".join(writer.body)
