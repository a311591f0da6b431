"""What every chapter shows of the published runs, before and after a change that must not alter it.

    python -m tests.golden keep FOLDER [CHAPTER ...]      execute the notebooks against the published runs, keep them
    python -m tests.golden compare FOLDER [CHAPTER ...]   execute them with the code as it is now, print what differs

A figure's table is compared as a set of rows and its drawing by its marks, so that the order of columns, colours and
sizes do not count; captions, sentences, verdicts and lessons are compared to the letter. Exits with 1 on a difference.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import papermill

ROOT = Path(__file__).parents[2]
FIGURE = "application/vnd.benchbook.figure+json"
MARKS = ("x", "y", "error_x", "error_y", "text")
TEXTS = ("text/markdown", "text/html", "text/plain")


def execute(folder: Path, chapters: Iterable[str]) -> None:
    """Execute the notebooks of these chapters, all without a name, into a folder."""
    os.environ.update(BENCHBOOK_SOURCE="published", BENCHBOOK_MEASURE="never")
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted((ROOT / "notebooks").glob("*.ipynb")):
        if not chapters or source.stem in chapters:
            sys.stderr.write(f"{source.stem}\n")
            target = folder / source.name
            papermill.execute_notebook(source, target, cwd=source.parent, progress_bar=False, log_output=False)


def shown(notebook: Path) -> Iterator[str]:
    """Each output of a notebook as text."""
    for cell in nbformat.read(notebook, as_version=4).cells:
        for output in cell.get("outputs", []):
            yield from _texts(output.get("data", {}))


def _texts(data: dict[str, Any]) -> Iterator[str]:
    structured = [kind for kind in data if kind.startswith("application/vnd.benchbook")]
    if FIGURE in data:
        yield _spelled(_figure(data[FIGURE]))
    elif structured:
        yield _spelled(data[structured[0]])
    else:
        yield next((str(data[kind]) for kind in TEXTS if kind in data), "")


def _figure(record: dict[str, Any]) -> dict[str, Any]:
    columns = record["data"]["columns"]
    rows = [dict(zip(columns, row, strict=True)) for row in record["data"]["data"]]
    traces = [{name: trace.get(name) for name in ("name", "type", "mode", *MARKS)} for trace in record["plot"]["data"]]
    plain = {name: record[name] for name in ("id", "caption", "alt", "run_id", "interval", "lacks")}
    layout = record["plot"]["layout"]
    axes = {name: (layout.get(name) or {}).get("title", {}).get("text") for name in ("xaxis", "yaxis")}
    return plain | {"rows": sorted(map(_line, rows)), "traces": sorted(map(_line, traces)), "axes": axes}


def _line(value: Any) -> str:
    return json.dumps(_rounded(value), sort_keys=True, ensure_ascii=False)


def _rounded(value: Any) -> Any:
    """Numbers to ten digits: another order of sums may change the last one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(f"{value:.10g}")
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value


def _spelled(value: Any) -> str:
    return json.dumps(_rounded(value), indent=1, sort_keys=True, ensure_ascii=False)


def differences(before: Path, after: Path) -> Iterator[str]:
    """The lines of a unified difference for each output that differs."""
    each, other = (list(shown(path)) for path in (before, after))
    for one, two in ((a, b) for a, b in zip(_padded(each, other), _padded(other, each), strict=True) if a != b):
        yield from difflib.unified_diff(one.splitlines(), two.splitlines(), before.stem, after.stem, lineterm="", n=1)


def _padded(one: list[str], other: list[str]) -> list[str]:
    return one + [""] * (len(other) - len(one))


def main(command: str, folder: Path, chapters: list[str]) -> int:
    """0 when nothing differs."""
    if command == "keep":
        execute(folder, chapters)
        return 0
    differ = 0
    with tempfile.TemporaryDirectory() as now:
        execute(Path(now), chapters)
        for after in sorted(Path(now).glob("*.ipynb")):
            for line in differences(folder / after.name, after):
                differ += 1
                sys.stdout.write(f"{line}\n")
    sys.stderr.write("nothing differs\n" if not differ else f"{differ} lines of difference\n")
    return 1 if differ else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("keep", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER")
    sys.exit(main(**vars(parser.parse_args())))
