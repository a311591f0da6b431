"""What a chapter is called on a page, where the ledger and the program call it by a short name."""

import re

from benchbook import lab

_NAME = re.compile(r"(\bchapter )?\b([a-z]+(?:_[a-z]+)*)\b")
"""A word, and whether it stands after "chapter"."""


def in_words(name: str) -> str:
    """The title of a chapter; of one that is not written yet, its name in words."""
    return str(lab.experiment(name).title) if name in lab.names() else name.replace("_", " ")


def titled(text: str) -> str:
    """A text in which each name of a written chapter is its title, and that of one to come in words.

    A name of one word is one only after "chapter": *cost* alone may be any cost.
    """
    known = set(lab.names())

    def called(match: re.Match[str]) -> str:
        said, name = match[1] or "", match[2]
        if name in known and (said or "_" in name):
            return f"{said}“{in_words(name)}”"
        return f"{said}{in_words(name)}" if said else name

    return _NAME.sub(called, text)
