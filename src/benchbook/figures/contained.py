"""What words from data may do where they are shown: be read.

Runs, claims and notes are data, and whoever changes them changes no code. So their words bring no tag, script, link,
directive, role or expression into a page, whatever they are.
"""

import re
from typing import Any

_FENCE = re.compile(r"([`~:])\1{2,}")
"""What begins a directive; two of its signs begin none."""
_MARKUP = re.compile(r"[\\{}]|<(?=[A-Za-z/!?])|(?<=\])[(:]")
"""Roles, attributes and expressions; tags, comments and addresses; links, pictures and their definitions."""
_TAG = re.compile(r"<(?!/?(?:br|b|i|sub|sup|extra) ?/?>)(?=[A-Za-z/!?])")
"""A tag in a drawing that is none of the plain ones, which have no attributes."""


def markdown(text: str) -> str:
    """Sentences in Markdown with emphasis, lists, tables and code, and with nothing that does more than that."""
    shortened = _FENCE.sub(lambda match: match[1] * 2, text)
    return _MARKUP.sub(lambda match: "&lt;" if match[0] == "<" else f"\\{match[0]}", shortened)


def drawn(value: Any) -> Any:
    """A drawing as plotly JSON in whose texts a tag is a line break, bold, slanted, raised or lowered; others are text.

    plotly.js takes a part of HTML, links among it, in every text.
    """
    if isinstance(value, str):
        return _TAG.sub("&lt;", value)
    if isinstance(value, dict):
        return {name: drawn(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [drawn(each) for each in value]
    return value
