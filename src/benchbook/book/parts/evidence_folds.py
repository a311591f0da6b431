"""What moves on a chapter's page: evidence into folds, and the parameters that papermill gave below the answer.

A line of its own, ``<!-- fold: What the next figure shows -->``, begins a fold; its words are the line to click on. The
fold ends at the next mark, at the next heading, or at ``<!-- end of fold -->``. Where Markdown is shown without this
book's extension, the mark is a comment and nothing is hidden.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from benchbook.book.parts import typography
from benchbook.book.parts.nodes import Folded

EVIDENCE = "benchbook-evidence"
"""Class of the fold: its figures are drawn once it is opened, and paper shows it open."""
GIVEN = "tag_injected-parameters"
"""Class of the cell that papermill adds, by its tag."""
_LOGGER = logging.getLogger(__name__)
_BEGINS = re.compile(r"<!--\s*fold:\s*(\S.*?)\s*-->")
_ENDS = re.compile(r"<!--\s*end of fold\s*-->")
_MEANT = re.compile(r"<!--.*\bfold\b")


def fold(tree: nodes.Element) -> list[str]:
    """Put what follows each mark into a fold, in place; the complaints about marks that fold nothing."""
    complaints, marks = [], [each for each in tree.findall(nodes.raw) if _is_mark(each)]
    for mark in marks:
        text = mark.astext().strip()
        if found := _BEGINS.fullmatch(text):
            if not _folded(mark, found.group(1)):
                complaints.append(f"nothing stands under {text}")
        elif not _ENDS.fullmatch(text):
            complaints.append(f"{text} is neither '<!-- fold: words -->' nor '<!-- end of fold -->'")
    for mark in marks:
        mark.parent.remove(mark)
    return complaints


def _folded(mark: nodes.raw, summary: str) -> bool:
    place = mark.parent
    start = place.index(mark) + 1
    ends = (at for at, node in enumerate(place) if isinstance(node, nodes.section) or _is_mark(node))
    end = next((at for at in ends if at >= start), len(place))
    if content := place[start:end]:
        place[start:end] = [Folded("", *content, summary=typography.mended(summary), kind=EVIDENCE)]
    return bool(content)


def _is_mark(node: nodes.Node) -> bool:
    return isinstance(node, nodes.raw) and bool(_MEANT.match(node.astext()))


def fold_page(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """The same for a page that is about to be written; the contents and the stored page keep every heading."""
    for complaint in fold(doctree):
        _LOGGER.warning("%s", complaint, location=page)


def lower(tree: nodes.Element) -> None:
    """Move each cell with such parameters to where the first section below it begins, in place."""
    for cell in [each for each in tree.findall(nodes.container) if GIVEN in each["classes"]]:
        place = cell.parent
        sections = [each for each in place if isinstance(each, nodes.section)]
        if sections and place.index(sections[0]) > place.index(cell):
            place.remove(cell)
            place.insert(place.index(sections[0]), cell)
