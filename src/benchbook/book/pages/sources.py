"""The executed notebooks that readers save from the pages of chapters."""

import json
from pathlib import Path

FOLDER = "_sources"
"""From the top of the rendered book."""
_OWN = "application/vnd.benchbook."


def lighten(folder: Path) -> None:
    """Leave out of them what only pages of the book can show: each such output is also a drawing, a table or text.

    folder: of the rendered book.
    """
    for path in (folder / FOLDER).rglob("*.ipynb"):
        text = path.read_text("utf-8")
        if _OWN not in text:  # none, or written by an earlier build
            continue
        notebook = json.loads(text)
        for cell in notebook["cells"]:
            for output in cell.get("outputs", ()):
                if "data" in output:
                    output["data"] = {kind: each for kind, each in output["data"].items() if not kind.startswith(_OWN)}
        path.write_text(json.dumps(notebook, separators=(",", ":"), ensure_ascii=False), "utf-8")
