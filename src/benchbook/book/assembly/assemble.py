"""The rendered book in ``_build/html``, made of chapters and pages; a build that fails leaves the last good book."""

import json
import re
import shutil
import sys
import time
from pathlib import Path

import yaml
from filelock import FileLock

from benchbook import children, interruption, project
from benchbook.bench.record import FILE
from benchbook.book.assembly import chapters, comparing
from benchbook.book.assembly.chapter_plan import Chapter, Shown, plan
from benchbook.book.assembly.progress import Progress
from benchbook.book.pages.verdicts import SOURCES
from benchbook.book.parts import figure_files
from benchbook.book.records import figure_list, inputs, metadata, own_runs, site, versions, whole_runs
from benchbook.book.records.own_runs import Own
from benchbook.errors import BenchbookError
from benchbook.figures.drawings import chromium, draw_all
from benchbook.store import sums

PUBLISHED = Shown()
CITED_AS = (metadata.CITATION, versions.FILE.as_posix(), f"data/published/{sums.FILE}")
_EXPECTED_S = 20.0
_FLAGS = ("-W", "-n", "--keep-going", "--all", "-q")
_LINES_SHOWN = 20
_SOURCES = (".md", ".ipynb", ".rst")


def build(shown: Shown = PUBLISHED, quiet: bool = False, drawings: bool = False) -> Path:
    """Bring chapters and pages up to date and return the book's index page.

    drawings: make a static drawing of every figure, for readers without JavaScript and for previews. Raises
    BenchbookError when a run that the book shows or lists is not as it was measured, also of a book that is up
    to date; when a chapter fails, when a page has a warning, or when the table of contents and the notebooks do not
    match. Raises MachineError, before anything is done, where drawings are asked for and there is no browser.
    """
    root = project.root()
    site.of(root)  # refuses an address or a DOI that is none
    output = root / "_build"
    output.mkdir(exist_ok=True)
    with Progress(quiet=quiet) as progress, FileLock(output / "book.lock"):
        _check_contents(root)
        whole_runs.check(root, published_only=shown.edition)
        if drawings:
            chromium("drawing figures", "leave out --drawings")
        stored, index = inputs.read_json(output / "book.key.json"), output / "html" / "index.html"
        planned = plan(root, shown)
        current = index.is_file() and all(chapter.is_current() for chapter in planned)
        if current and not drawings and stored.get("inputs") == _inputs(root, _key(root), shown, planned):
            _tell(progress, root, own_runs.read(root)[1])
            return index
        pages_s = float(stored.get("duration_s", _EXPECTED_S))
        progress.expect(pages_s)
        chapters.execute_all(root, planned, edition=shown.edition, progress=progress)
        if drawings:
            progress.phase("static drawings")
            draw_all(root / figure_files.BUILT, figure_list.records(root), progress.phase)
        progress.phase("comparison with other runs")
        compared = [] if shown.edition else comparing.of_runs(root, shown.profile)
        comparing.write(root, shown, compared)
        key, duration_s = _key(root), pages_s
        if stored.get("key") != key or not index.is_file():
            progress.phase("pages")
            started = time.monotonic()
            try:
                _render(root, output / "next")
                _put_in_place(output)
            finally:
                shutil.rmtree(output / "next", ignore_errors=True)
            duration_s = round(time.monotonic() - started, 1)
        record = {"key": key, "inputs": _inputs(root, key, shown, planned), "duration_s": duration_s}
        inputs.write_atomically(output / "book.key.json", json.dumps(record) + "\n")
        progress.advance(pages_s)
        _tell(progress, root, compared)
    return index


def _tell(progress: Progress, root: Path, compared: list[Own]) -> None:
    """What stands beside the published runs, and beside which nothing does; nothing where none was measured here."""
    if compared:
        progress.say(f"{own_runs.sentence(compared)}.")
        here = {own.chapter for own in compared}
        if only := [module.name for module in comparing.measured_chapters(root) if module.name not in here]:
            progress.say(f"Shown as published only, since no run of them was made here: {', '.join(only)}.")


def _key(root: Path) -> str:
    pages = inputs.tree(root / "book")
    return inputs.key(
        {
            "configuration": inputs.tree(root, ("_config.yml", "_toc.yml", "CHANGELOG.md")),
            "book": {name: digest for name, digest in pages.items() if not name.endswith(".key.json")},
            "ledger": inputs.tree(root / "data", SOURCES),
            "drawings": inputs.tree(root, tuple(f"{each}/*.sha256" for each in figure_files.FOLDERS)),
            "performance": inputs.tree(root, (FILE.as_posix(),)),
            "cited as": inputs.tree(root, CITED_AS),
            "package": inputs.package(root),
            "versions": inputs.versions(),
        }
    )


def _inputs(root: Path, key: str, shown: Shown, planned: list[Chapter]) -> str:
    """The key of all that a build reads, and of what the last one made of it: the same, and there is nothing to do."""
    return inputs.key(
        {
            "pages": key,
            "shown": [shown.kind, shown.profile],
            "chapters": [chapter.key for chapter in planned],
            "runs": inputs.tree(root / "runs", ("*/*/run.json",)),
            "published": inputs.tree(root / "data", ("published/*/*/run.json", "editions/*/*")),
        }
    )


def _check_contents(root: Path) -> None:
    """Every chapter in the table of contents has its notebook, and every notebook its place there."""
    prefix = "book/chapters/"
    files = _files(yaml.safe_load((root / "_toc.yml").read_text("utf-8")))
    for name in files:
        if not name.startswith(prefix) and not any((root / f"{name}{ending}").is_file() for ending in ("", *_SOURCES)):
            raise BenchbookError(
                f"_toc.yml lists {name}, which does not exist", "restore it, for example with `git checkout`"
            )
    listed = {name.removeprefix(prefix).removesuffix(".ipynb") for name in files if name.startswith(prefix)}
    existing = {path.stem for path in project.of_chapters(root)}
    for name in sorted(listed - existing):
        raise BenchbookError(
            f"_toc.yml lists {prefix}{name}, but notebooks/{name}.ipynb does not exist", "remove the line"
        )
    for name in sorted(existing - listed):
        raise BenchbookError(f"notebooks/{name}.ipynb has no line in _toc.yml", f"add `- file: {prefix}{name}`")


def _files(contents: object) -> list[str]:
    if isinstance(contents, dict):
        own = [value for name, value in contents.items() if name in {"root", "file"} and isinstance(value, str)]
        return own + [name for value in contents.values() for name in _files(value)]
    if isinstance(contents, list):
        return [name for value in contents for name in _files(value)]
    return []


def render(root: Path, target: Path, *flags: str) -> tuple[int, str]:
    """Every page from scratch: Sphinx repeats no warning of a page that it believes to be up to date.

    flags: of jupyter-book. Returns its exit status and what it said.
    """
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    program = "from jupyter_book.cli.main import main; main()"
    command = [sys.executable, "-c", program, "build", str(root), "--path-output", str(target), *flags]
    # In a session of its own, so that Ctrl-C reaches this process alone, which then ends that one.
    done = children.run(command, timeout_s=None, cwd=root, start_new_session=True)
    return done.returncode, re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)


def _render(root: Path, target: Path) -> None:
    status, log = render(root, target, *_FLAGS)
    (root / "_build" / "sphinx.log").write_text(log, encoding="utf-8")
    if status != 0:
        lines = [line for line in log.splitlines() if line.strip()]
        shown = [line for line in lines if "WARNING" in line or "ERROR" in line][:_LINES_SHOWN] or lines[-_LINES_SHOWN:]
        report = "\n".join(shown).replace(f"{root}/", "")
        raise BenchbookError(
            f"the pages have warnings or errors:\n{report}", "fix them; the full report is in _build/sphinx.log"
        )


def _put_in_place(output: Path) -> None:
    """Exchange the folders by renaming, so that a reader never meets half a book."""
    old = output / "previous"
    shutil.rmtree(old, ignore_errors=True)
    with interruption.held():
        if (output / "html").exists():
            (output / "html").rename(old)
        (output / "next" / "_build" / "html").rename(output / "html")
        shutil.rmtree(old, ignore_errors=True)
