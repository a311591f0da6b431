"""Round apostrophes, and spaces at which no line breaks."""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

UNITS = (
    "%", "ns", "µs", "μs", "ms", "s", "min", "h", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "TPS", "USD",
)  # fmt: skip
_BEFORE_UNIT = re.compile(rf"(?<=[\d\]]) (?=(?:{'|'.join(UNITS)})(?!\w))")
_PERCENT = re.compile(r"(?<=\d)%")
_IN_INTERVAL = re.compile(r"(?<=\d,) (?=[-−]?\d[\d.,]*(?:e[-+]?\d+)?\])")
_APOSTROPHE = re.compile(r"(?<=\w)'")
_VERBATIM = (nodes.FixedTextElement, nodes.literal, nodes.math)
"""What a reader copies: commands, citations, names. It stays as it was written."""


def unbroken(text: str) -> str:
    """The text with U+00A0 between a number, or its interval, and a unit, and between the ends of an interval.

    Percent is written as the other units are, also where a format or a quotation wrote it without a space.
    """
    return _IN_INTERVAL.sub("\u00a0", _BEFORE_UNIT.sub("\u00a0", spaced(text)))


def spaced(text: str) -> str:
    """The text with the space that belongs before a percent sign."""
    return _PERCENT.sub("\u00a0%", text)


def rounded(text: str) -> str:
    """The text with U+2019 for an apostrophe after a letter."""
    return _APOSTROPHE.sub("\u2019", text)


def mended(text: str) -> str:
    """The text unbroken, and with U+2019 after a letter; Sphinx rounds quotes only in what stands in a source file."""
    return rounded(unbroken(text))


def mend(tree: nodes.Node) -> None:
    """Give every text of a page or of a part of one its unbroken spaces and round apostrophes, in place."""
    for text in list(tree.findall(nodes.Text)):
        better = mended(text)
        if better != text and not stands_in(text, _VERBATIM):
            text.parent.replace(text, nodes.Text(better))


def stands_in(node: nodes.Node, kinds: tuple[type, ...]) -> bool:
    """Whether a node stands, however deep, in one of these kinds."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, kinds):
            return True
    return False


def mend_contents(app: Sphinx, env: BuildEnvironment) -> None:
    """The same for the headings in the tables of contents, which are gathered before a page is resolved."""
    for contents in env.tocs.values():
        mend(contents)
