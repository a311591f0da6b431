"""A figure's files in the rendered book; editions keep theirs at addresses that never change."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from benchbook.book.parts import tables
from benchbook.book.records.citation_forms import SUFFIXES
from benchbook.book.records.figure_list import records
from benchbook.figures import contained

FOLDER = "figures"
FOLDERS = PUBLISHED, BUILT = Path("data") / "figures", Path("_build") / "figures"
"""Where static drawings lie: those of editions, and those made for a build."""
MADE_ELSEWHERE = ("svg", "png", "pdf")
"""Suffixes of the drawings that need a browser; they are taken over where they exist."""
_SVG = "{http://www.w3.org/2000/svg}"
_ACTIVE = {"a", "foreignObject", "script"}
_WITHIN = ("#", "data:image/")


def exports(root: Path, each: Mapping[str, Any]) -> dict[str, Path]:
    """Suffix to file of the exported drawings of a figure, but of other data, or that run something when opened."""
    for folder in FOLDERS:
        note = root / folder / f"{each['id']}.sha256"
        if note.is_file() and note.read_text("utf-8").split()[:1] == [each["data_sha256"]]:
            return {
                suffix: path
                for suffix in MADE_ELSEWHERE
                if (path := note.with_name(f"{each['id']}.{suffix}")).is_file() and (suffix != "svg" or is_still(path))
            }
    return {}


def picture(root: Path, each: Mapping[str, Any]) -> str:
    """The static drawing of a figure in the rendered book, from its top; "" where none of its data was made."""
    return f"{each.get('address', FOLDER)}/{each['id']}.svg" if "svg" in exports(root, each) else ""


def suffixes(root: Path, each: Mapping[str, Any]) -> frozenset[str]:
    """Suffixes of all files that a figure has in the rendered book."""
    return frozenset({"csv", "json", "metadata.json", *SUFFIXES.values(), *exports(root, each)})


def of_editions(root: Path) -> tuple[dict[str, Any], ...]:
    """The figures of every edition as they then were, the newest edition first.

    Each has ``edition`` and ``address``, the folder of its page: one below that of today's figures. A figure that
    today's book no longer has also keeps its former address, where its newest edition stands.
    """
    if not (root / "data" / "editions").is_dir():
        return ()
    from benchbook.book.records import editions  # few builds need it, and it brings the stored runs with it

    today = {each["id"] for each in records(root)}
    found: list[dict[str, Any]] = []
    for name in reversed(editions.names(root)):
        for each in editions.figures(root, name):
            found.append({**each, "edition": name, "address": f"{FOLDER}/{name}"})
            if each["id"] not in today:
                today.add(each["id"])
                found.append({**each, "edition": name, "address": FOLDER})
    return tuple(found)


def contents(each: Mapping[str, Any]) -> dict[str, str]:
    """Suffix to text of the files that every figure has: table, drawing as plotly JSON, record, citations."""
    metadata = {name: value for name, value in each.items() if name not in ("plot", "data", "citations")}
    return {
        "csv": tables.CSV_MARK + tables.csv_text(each["data"]["columns"], each["data"]["data"]),
        "json": json.dumps(contained.drawn(each["plot"]), separators=(",", ":")),
        "metadata.json": json.dumps(metadata, indent=1, ensure_ascii=False) + "\n",
        **{SUFFIXES[form]: text for form, text in each["citations"].items()},
    }


def told_once(each: Mapping[str, Any]) -> dict[str, Any]:
    """A figure's record without the parameters of runs that share them with the one that they are pooled with.

    For the rendered book; in a crate it is whole, as it has been in all of them.
    """
    run = each["run"] or {}
    others = [
        {name: value for name, value in other.items() if name != "settings" or value != run["settings"]}
        for other in run.get("pooled_with", ())
    ]
    return {**each, "run": run | {"pooled_with": others}} if others else {**each}


def is_still(path: Path) -> bool:
    """Whether a file is a drawing in SVG that does nothing when a browser opens it: no script, link or foreign part."""
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
