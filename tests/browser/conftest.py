"""A real book, built once, and a browser that may talk to nobody but it."""

import functools
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import shared_book
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page, sync_playwright

from benchbook import lab

HIDE_ALIKE = Path(__file__).with_name("hide-alike.js").read_text("utf-8")
SHOW_ALL = """() => document.querySelectorAll("[data-alike]").forEach(each => { delete each.dataset.alike; })"""
WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa")
LOOKS = ("color-contrast", "link-in-text-block")
"""Rules whose answer follows from how an element and all around it are coloured and set."""
FLAGS = [
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@dataclass(frozen=True)
class Book:
    """The rendered book: its folder, its address, and its pages relative to both. whole: with every chapter."""

    folder: Path
    address: str
    pages: tuple[str, ...]
    whole: bool

    @property
    def root(self) -> Path:
        """The project that it was built in."""
        return self.folder.parents[1]

    def html(self, page: str) -> BeautifulSoup:
        """A page as it is written."""
        return BeautifulSoup((self.folder / page).read_text("utf-8"), "html.parser")

    @functools.cached_property
    def chapters(self) -> tuple[str, ...]:
        """Those with something to show: a published run, or an analysis, which needs none."""
        known = {shared_book.SAMPLE.stem, *lab.analyses()}
        known |= {path.name for path in (self.root / "data" / "published").iterdir() if path.is_dir()}
        return tuple(page for page in self.pages if page.startswith(shared_book.CHAPTERS) and Path(page).stem in known)

    @property
    def figures(self) -> list[str]:
        """Pages of the figures that are drawn; the address of one that is no longer leads to its chapter."""
        drawn = (path.with_suffix("").with_suffix(".html") for path in self.folder.glob("figures/**/*.metadata.json"))
        return sorted(path.relative_to(self.folder).as_posix() for path in drawn)

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """Those that wait for their first published run."""
        every = (page for page in self.pages if page.startswith(shared_book.CHAPTERS))
        return tuple(page for page in every if page not in self.chapters)


@dataclass
class Visit:
    """A page that was opened, with everything that went wrong on it and every address that it asked for."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


class QuietHandler(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        """A file of the book; nothing for the icon that a browser asks for by itself, with the first page it opens."""
        if self.path == "/favicon.ico":
            self.send_response(HTTPStatus.NO_CONTENT)
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which a folder is served."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session", params=["some", pytest.param("whole", marks=pytest.mark.long)])
def built_book(request: pytest.FixtureRequest) -> Iterator[Book]:
    """The book, built by whichever worker needs it first; each serves it by itself. In the long run it is whole."""
    whole = request.param == "whole"
    folder = shared_book.root(whole=whole) / "_build" / "html"
    pages = tuple(sorted(path.relative_to(folder).as_posix() for path in folder.glob("book/**/*.html")))
    with served(folder) as address:
        yield Book(folder, address, pages, whole)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium; Playwright's own cannot be downloaded everywhere."""
    names = ("chromium", "chromium-browser", "google-chrome")
    program = os.environ.get("BENCHBOOK_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.fail("no Chromium found: install the package chromium, or name one by BENCHBOOK_CHROMIUM")
    with sync_playwright() as playwright:
        root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        chromium = playwright.chromium.launch(executable_path=program, args=[*FLAGS, *root])
        yield chromium
        chromium.close()


WAIT_MS = 180_000
"""What a busy machine may take for one page, where Chromium's driver would give up after 30 s."""


UNFOLD = "document.querySelectorAll('details.benchbook-evidence').forEach(fold => { fold.open = true; })"

ALL_DRAWN = """() => {
    const waiting = [...document.querySelectorAll('.benchbook-drawing')]
        .find(box => box.dataset.drawn !== 'yes' && !box.closest('details:not([open])'));
    if (waiting && !window.Plotly) waiting.scrollIntoView({ behavior: 'instant' });
    return !waiting;
}"""
"""The opening page draws its figure when a reader comes to it; what is folded is drawn when it is opened."""


class Reader:
    """Opens pages of the book in a fresh profile each."""

    def __init__(self, browser: Browser, book: Book) -> None:
        self.browser = browser
        self.book = book

    def open(
        self,
        page_name: str,
        *,
        width: int = 1280,
        height: int = 900,
        scheme: str = "light",
        scripts: bool = True,
        address: str = "",
        drawn: bool = True,
        unfolded: bool = True,
    ) -> Visit:
        """Open a page, unfold its evidence, and wait until its figures are drawn.

        drawn: whether to wait; not for a page that draws them later. unfolded: False leaves the page as it was opened.
        """
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=scripts,
        )
        context.set_default_timeout(WAIT_MS)
        visit = Visit(context.new_page())
        visit.page.on("request", lambda request: visit.requests.append(request.url))
        visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
        visit.page.on(
            "console",
            lambda message: visit.complaints.append(message.text) if message.type in ("error", "warning") else None,
        )
        visit.page.on("requestfailed", lambda request: visit.complaints.append(f"failed: {request.url}"))
        if unfolded and scripts:
            visit.page.add_init_script(f"document.addEventListener('DOMContentLoaded', () => {{ {UNFOLD} }})")
        visit.page.goto((address or self.book.address) + page_name, wait_until="load")
        if unfolded and not scripts:
            visit.page.evaluate(UNFOLD)
        if scripts and drawn:
            visit.page.wait_for_function(ALL_DRAWN)
            visit.page.evaluate("scrollTo(0, 0)")
        return visit


@pytest.fixture(scope="session")
def lasting_reader(browser: Browser, built_book: Book) -> Reader:
    """Opens pages that several tests look at; whoever opens one closes it."""
    return Reader(browser, built_book)


@pytest.fixture
def reader(browser: Browser, built_book: Book) -> Iterator[Reader]:
    """Opens pages that are closed after the test."""
    before = [*browser.contexts]
    yield Reader(browser, built_book)
    for context in browser.contexts:
        if context not in before:
            context.close()


# A button whose colour changes over some milliseconds has, half way, a colour that nobody reads.
AT_REST = """Promise.all(document.getAnimations()
    .filter(each => Number.isFinite(each.effect.getComputedTiming().endTime))
    .map(each => each.finished.catch(() => {}))).then(() => {})"""


def violations(page: Page, run_only: dict[str, Any], rules: dict[str, Any]) -> list[str]:
    page.evaluate(AT_REST)
    options = {"resultTypes": ["violations"], "runOnly": run_only, "rules": rules}
    return [
        f"{rule['impact']}: {rule['id']}: {' '.join(map(str, node['target']))}: {node['failureSummary']}"
        for rule in Axe().run(page, options=options).response["violations"]
        if rule["impact"] in {"serious", "critical"}
        for node in rule["nodes"]
    ]


@pytest.fixture(scope="session")
def findings() -> Callable[..., list[str]]:
    """What axe-core finds serious or critical on a page with every fold open: a line for each element and rule.

    looks: the rules about colours, once for each look that something on the page has. others: all other rules of
    WCAG 2.1 A and AA, on so many rows of each table; on all of them where no number is given.
    """

    def find(page: Page, looks: bool = True, others: bool = True, rows: int | None = None) -> list[str]:
        page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
        page.evaluate("new Promise(done => setTimeout(done, 100))")  # what listens to a fold hears of it a moment later
        found: list[str] = []
        if looks:
            page.evaluate(HIDE_ALIKE)
            found += violations(page, {"type": "rule", "values": [*LOOKS]}, {})
            page.evaluate(SHOW_ALL)
        if rows is not None:
            page.evaluate(
                "rows => document.querySelectorAll('tbody').forEach("
                "body => [...body.rows].slice(rows).forEach(row => row.remove()))",
                rows,
            )
        if others:
            without = {name: {"enabled": False} for name in LOOKS}
            found += violations(page, {"type": "tag", "values": [*WCAG]}, without)
        return found

    return find
