"""What a chapter is called on a page, where the ledger and the program call it by a short name."""

from __future__ import annotations

import re

from benchbook import lab

_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b|(?<=\bchapter )[a-z]+\b")
"""A short name of several words anywhere, of one word after "chapter": *cost* alone may be any cost."""

_COMING = re.compile(r"(?<=\bchapter )[a-z]+(?:_[a-z]+)+\b")


def in_words(name: str) -> str:
    """The title of a chapter; of one that is not written yet, its name in words."""
    return str(lab.experiment(name).title) if name in lab.names() else name.replace("_", " ")


def titled(text: str) -> str:
    """A text in which each name of a written chapter is its title, and that of one to come in words."""
    known = set(lab.names())
    found = _NAME.sub(lambda match: f"“{in_words(match[0])}”" if match[0] in known else match[0], text)
    return _COMING.sub(lambda match: in_words(match[0]), found)
