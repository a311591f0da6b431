"""Executes the code of a notebook as its kernel would; prints which modules it loaded and which files it read.

A program of its own, so that nothing but the door of files is loaded before:
``python execution_witness.py NOTEBOOK PARAMETERS``.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

import benchbook.nofollow


def main(path: Path, parameters: str) -> None:
    read: set[str] = set()

    def heard(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str) and not Path(arguments[0]).is_dir():
            read.add(os.path.realpath(arguments[0]))

    def noted(path: Path, *bounds: int) -> Any:
        """What the one door opens it opens by a name within a folder, which says nothing of where that is."""
        read.add(os.path.realpath(path))
        return opened(path, *bounds)

    door = sys.modules["benchbook.nofollow.reading"].__dict__
    opened = door["reading"]
    door["reading"] = benchbook.nofollow.reading = noted
    sys.addaudithook(heard)
    shell = InteractiveShell.instance()
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            shell.run_cell("".join(cell["source"]), silent=True).raise_error()
            if "parameters" in cell["metadata"].get("tags", []):
                shell.user_ns.update(json.loads(parameters))
    loaded = [str(module.__file__) for name, module in sys.modules.items() if name.partition(".")[0] == "benchbook"]
    print(json.dumps({"loaded": loaded, "read": sorted(read)}), file=sys.__stdout__)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
