"""The parameters that papermill gave a chapter stand on its page below the answer and the figure that shows it."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

GIVEN = "tag_injected-parameters"
"""Class of the cell that papermill adds, by its tag."""


def lower(tree: nodes.Element) -> None:
    """Move each cell with them to where the first section below it begins, in place."""
    for cell in [each for each in tree.findall(nodes.container) if GIVEN in each["classes"]]:
        place = cell.parent
        sections = [each for each in place if isinstance(each, nodes.section)]
        if sections and place.index(sections[0]) > place.index(cell):
            place.remove(cell)
            place.insert(place.index(sections[0]), cell)


def lower_on_page(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """The same for a page that is about to be written."""
    lower(doctree)
