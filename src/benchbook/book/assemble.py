"""Chapters and pages in, the rendered book in ``_build/html`` out; a failing build leaves the last good book."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import yaml
from filelock import FileLock

from benchbook import files, project
from benchbook.bench.record import FILE
from benchbook.book import chapters, inputs, own_drift, own_repeats
from benchbook.book.drift import sentence
from benchbook.book.progress import Progress
from benchbook.book.verdict_page import SOURCES
from benchbook.errors import BenchbookError

_EXPECTED_S = 20.0
_FLAGS = ("-W", "-n", "--keep-going", "--all", "-q")
_LINES_SHOWN = 20


def build(edition: bool = False, quiet: bool = False, profile: str = "quick") -> Path:
    """Bring chapters and pages up to date and return the book's index page.

    edition: show the published runs instead of local ones. profile: whose local runs an ordinary build shows.
    Raises BenchbookError when a chapter fails, when a page has a warning, or when the table of contents and the
    notebooks do not match.
    """
    root = project.root()
    output = root / "_build"
    output.mkdir(exist_ok=True)
    with Progress(quiet=quiet) as progress, FileLock(output / "book.lock"):
        _check_contents(root)
        stored = inputs.read_json(output / "book.key.json")
        progress.phase("chapters")
        chapters.execute_all(root, edition=edition, profile=profile, progress=progress)
        compared = [] if edition else own_drift.of_runs(root, profile)
        own_drift.write(root, "" if edition else profile, compared)
        own_repeats.write(root)
        key = _key(root)
        index = output / "html" / "index.html"
        if stored.get("key") != key or not index.is_file():
            expected_s = float(stored.get("duration_s", _EXPECTED_S))
            progress.expect(expected_s)
            progress.phase("pages")
            started = time.monotonic()
            _render(root, output / "next")
            _put_in_place(output)
            record = {"key": key, "duration_s": round(time.monotonic() - started, 1)}
            inputs.write_atomically(output / "book.key.json", json.dumps(record) + "\n")
            progress.advance(expected_s)
        if not edition:
            progress.say(sentence(compared))
    return index


def _key(root: Path) -> str:
    return inputs.key(
        {
            "configuration": [files.sha256(root / name) for name in ("_config.yml", "_toc.yml")],
            "book": {
                name: digest for name, digest in inputs.tree(root / "book").items() if not name.endswith(".key.json")
            },
            "ledger": inputs.tree(root / "data", SOURCES),
            "performance": inputs.tree(root, (FILE.as_posix(),)),
            "package": inputs.package(root),
            "versions": inputs.versions(),
        }
    )


def _check_contents(root: Path) -> None:
    """Every chapter in the table of contents has its notebook, and every notebook its place there."""
    prefix = "book/chapters/"
    files = _files(yaml.safe_load((root / "_toc.yml").read_text("utf-8")))
    listed = {name.removeprefix(prefix).removesuffix(".ipynb") for name in files if name.startswith(prefix)}
    existing = {path.stem for path in (root / "notebooks").glob("*.ipynb")}
    for name in sorted(listed - existing):
        raise BenchbookError(
            f"_toc.yml lists {prefix}{name}, but notebooks/{name}.ipynb does not exist", "remove the line"
        )
    for name in sorted(existing - listed):
        raise BenchbookError(f"notebooks/{name}.ipynb has no line in _toc.yml", f"add `- file: {prefix}{name}`")


def _files(contents: object) -> list[str]:
    if isinstance(contents, dict):
        own = [value for name, value in contents.items() if name == "file" and isinstance(value, str)]
        return own + [name for value in contents.values() for name in _files(value)]
    if isinstance(contents, list):
        return [name for value in contents for name in _files(value)]
    return []


def _render(root: Path, target: Path) -> None:
    """Every page from scratch: Sphinx repeats no warning of a page that it believes to be up to date."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    program = "from jupyter_book.cli.main import main; main()"
    command = [sys.executable, "-c", program, "build", str(root), "--path-output", str(target), *_FLAGS]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    log = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
    (root / "_build" / "sphinx.log").write_text(log, encoding="utf-8")
    if done.returncode != 0:
        lines = [line for line in log.splitlines() if line.strip()]
        shown = [line for line in lines if "WARNING" in line or "ERROR" in line][:_LINES_SHOWN] or lines[-_LINES_SHOWN:]
        report = "\n".join(shown).replace(f"{root}/", "")
        raise BenchbookError(f"the pages have warnings or errors:\n{report}", "mend them; all is in _build/sphinx.log")


def _put_in_place(output: Path) -> None:
    """Exchange the folders by renaming, so that a reader never meets half a book."""
    old = output / "previous"
    shutil.rmtree(old, ignore_errors=True)
    if (output / "html").exists():
        (output / "html").rename(old)
    (output / "next" / "_build" / "html").rename(output / "html")
    shutil.rmtree(old, ignore_errors=True)
    shutil.rmtree(output / "next", ignore_errors=True)
