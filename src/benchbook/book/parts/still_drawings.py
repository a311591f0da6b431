"""Static drawings as SVG, which are data that whoever opens one trusts: without scripts, links and foreign content."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from xml.etree import ElementTree

_SVG = "{http://www.w3.org/2000/svg}"
_ACTIVE = {"a", "foreignObject", "script"}
_WITHIN = ("#", "data:image/")


def is_still(path: Path) -> bool:
    """Whether a file is a drawing in SVG that does nothing when a browser opens it."""
    return _is_still(path, path.stat().st_mtime_ns)


@cache
def _is_still(path: Path, _moment: int) -> bool:
    try:
        elements = list(ElementTree.fromstring(path.read_bytes()).iter())
    except ElementTree.ParseError:
        return False
    return b"<?xml-stylesheet" not in path.read_bytes() and all(map(_is_drawn, elements))


def _is_drawn(element: ElementTree.Element) -> bool:
    """Whether an element is one of a drawing, and nothing of it runs or leads elsewhere."""
    name = element.tag.removeprefix(_SVG)
    if "}" in name or name in _ACTIVE:  # of no namespace it does nothing, of another one it may
        return False
    names = {name.rpartition("}")[2].lower(): value for name, value in element.attrib.items()}
    return not any(name.startswith("on") for name in names) and names.get("href", "#").strip().startswith(_WITHIN)
