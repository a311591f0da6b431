"""Plants each fault of faults.yaml in a copy of the code and says which ones the tests named beside it do not notice.

Run it as ``make planted``. Each test run is made with one worker, without slow tests; nothing of the clone is changed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import typer
import yaml

ROOT = Path(__file__).parents[2]
FAULTS = Path(__file__).with_name("faults.yaml")
COPIED = ("src", "book", "data", "tests", "notebooks")
LEFT_OUT = ("engine", "browser", "long", "alone", "machine", "faults")
"""Marks of slow tests."""


def read() -> list[dict[str, Any]]:
    """The faults, each with fault, file, old, new, tests, and for some ``with``, a mark that is not left out."""
    found: list[dict[str, Any]] = yaml.safe_load(FAULTS.read_text("utf-8"))
    return found


def planted(fault: dict[str, Any], root: Path) -> None:
    """Put it into a copy; raises ValueError where what it replaces is not there."""
    path = root / fault["file"]
    text = path.read_text("utf-8")
    if fault["old"] not in text:
        raise ValueError(f"{fault['fault']}: {fault['file']} has no {fault['old']!r}; correct faults.yaml")
    path.write_text(text.replace(fault["old"], fault["new"]), "utf-8")


def copy(folder: Path) -> Path:
    """A copy of the code whose tests read the clone's data."""
    root = folder / "copy"
    root.mkdir()
    ignored = shutil.ignore_patterns("__pycache__", "*.ipynb_checkpoints")
    for each in sorted(path for path in ROOT.iterdir() if path.name not in (".git", "_build", "runs")):
        if each.name in COPIED:
            shutil.copytree(each, root / each.name, ignore=ignored)
        else:
            (root / each.name).symlink_to(each)
    return root


def noticed(fault: dict[str, Any]) -> bool:
    """Whether a test fails because of it."""
    with tempfile.TemporaryDirectory(prefix="benchbook-planted-") as folder:
        root = copy(Path(folder))
        planted(fault, root)
        marks = " and ".join(f"not {mark}" for mark in LEFT_OUT if mark != fault.get("with"))
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n0", "-p", "no:cacheprovider", "-m", marks]
        environment = {**os.environ, "PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [*command, *fault["tests"].split()], cwd=root, env=environment, capture_output=True, text=True
        )
    if done.returncode not in (0, 1, 2):  # pytest: passed, failed, could not collect
        raise RuntimeError(f"{fault['fault']}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode != 0


def main(*named: str) -> int:
    """A line for each fault, or for those with one of these words in them; 1 where one is not noticed."""
    missed = 0
    for fault in read():
        if named and not any(each in fault["fault"] for each in named):
            continue
        found = noticed(fault)
        missed += not found
        typer.echo(f"{'found ' if found else 'MISSED'}  {fault['fault']} ({fault['file']})")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
