"""The warning at figures of absolute numbers: where it stands, and where it must not."""

from typing import Any

import pytest
from docutils import nodes
from docutils.utils import new_document

from benchbook.book.parts import figure_block
from benchbook.book.parts.figure_block import figure_nodes


def record(*headings: str) -> dict[str, Any]:
    return {"data": {"columns": [*headings], "data": []}}


@pytest.mark.parametrize(
    "heading",
    ["latency (ms)", "mean (ns)", "look-up (µs)", "insert (µs a row)", "TPS", "reopen (s)", "rows per second"],
)
def test_times_and_throughputs_are_absolute(heading: str) -> None:
    assert figure_block.absolute(record("configuration", heading, "low", "high"))
    [line] = figure_block.warning(new_document("page"), record(heading), measured=True)
    assert line.astext() == f"{figure_block.WARNING}."
    assert line.children[1]["words"] == figure_block.CARRY_OVER, "which leads to the reason"
    assert figure_block.warning(new_document("page"), record(heading), measured=False) == [], (
        "the note's numbers are not of this machine"
    )


@pytest.mark.parametrize(
    "heading",
    ["ratio", "TPS over 25 % of memory", "speed-up", "hit ratio (%)", "bytes a key", "share of a query's mean time (%)",
     "time of a lookup / the value file's", "claimed low"],
)  # fmt: skip
def test_ratios_shares_and_counts_are_not(heading: str) -> None:
    assert not figure_block.absolute(record("configuration", heading))
    assert figure_block.warning(new_document("page"), record(heading), measured=True) == []


def test_the_line_stands_below_the_figure() -> None:
    figure = {
        "id": "fig-made-up", "title": "Made up", "caption": "A caption.", "alt": "In words.", "interval": "",
        "lacks": "", "run_id": "r", "plot": {"data": [], "layout": {}}, "data": {"columns": ["TPS"], "data": [[1.0]]},
    }  # fmt: skip
    document = new_document("page")
    [block] = figure_nodes(document, figure)
    classes = [child.get("classes", []) for child in block.children]
    assert ["benchbook-levels"] in classes
    assert classes.index(["benchbook-levels"]) > 0
    document += block
    [second] = figure_nodes(document, figure | {"id": "fig-made-up-too"})
    assert ["benchbook-levels"] not in [child.get("classes", []) for child in second.children], "once a page"


def test_a_figure_that_shows_nothing_is_a_sentence_with_its_address() -> None:
    figure = {"id": "fig-made-up", "alt": "Checkpoints: nothing to draw. None ran; give seconds.", "blank": True}
    document = new_document("page")
    [said] = figure_nodes(document, figure)
    assert isinstance(said, nodes.paragraph)
    assert (said.astext(), said["ids"]) == (figure["alt"], ["fig-made-up"])
