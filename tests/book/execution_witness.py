"""Executes the code of a notebook as its kernel would; prints which modules it loaded and which files it read.

A program of its own, so that nothing is loaded before: ``python execution_witness.py NOTEBOOK PARAMETERS``.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell


def main(path: Path, parameters: str) -> None:
    read: set[str] = set()

    def heard(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str):
            read.add(os.path.realpath(arguments[0]))

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
