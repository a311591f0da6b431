"""The book as one PDF with every figure drawn: printed by the system's Chromium on A4 paper."""

import asyncio
import base64
import json
import tempfile
import threading
import time
from concurrent.futures import Future, wait
from contextlib import suppress
from pathlib import Path
from typing import Any

from choreographer import Browser, Tab
from choreographer.protocol.devtools_async_helpers import navigate_and_wait

from benchbook.book.onefile import archive
from benchbook.book.pages import paper_line
from benchbook.errors import BenchbookError, MachineError
from benchbook.figures import drawings

NAME = paper_line.BOOK
WIDTH_PX = 680
"""Of the printed column: A4 without the margins that the style of the one file sets, at 96 pixels an inch."""
TIMEOUT_S, _CLOSING_S = 600.0, 20.0
_CHUNK_BYTES = 1 << 20
_LOOK = "open the book in a browser and read its console"
_FOOTER = (
    '<div style="font-size: 8px; text-align: center; width: 100%">'
    '<span class="pageNumber"></span> / <span class="totalPages"></span></div>'
)
_OPTIONS = {
    "displayHeaderFooter": True,
    "footerTemplate": _FOOTER,
    "generateDocumentOutline": True,
    "generateTaggedPDF": True,
    "headerTemplate": "<span></span>",
    "preferCSSPageSize": True,
    "printBackground": True,
    "transferMode": "ReturnAsStream",
}
# All figures are drawn before the paper's width is known to the page, and drawn again for it by its own listener.
_READY = """document.fonts.ready.then(() => window.benchbookDrawAll ? window.benchbookDrawAll() : []).then(() => {
  window.dispatchEvent(new Event("beforeprint"));
  const boxes = Array.from(document.querySelectorAll(".benchbook-drawing"));
  const blank = boxes.filter((box) => !box.querySelector("svg.main-svg"));
  return JSON.stringify({ drawn: boxes.length, blank: blank.map((box) => box.dataset.figure) });
})"""


def of(root: Path) -> bytes:
    """The book as it was last built here, as a PDF.

    Raises BenchbookError when no book was built or a figure stays blank, MachineError when there is no Chromium or it
    fails.
    """
    page = archive.of(root)
    program = drawings.chromium("printing the book", "`benchbook archive` needs none")
    # Beside the book and not in /tmp, which a packaged browser may not see.
    with tempfile.TemporaryDirectory(dir=root / "_build", prefix="print-") as folder:
        file = Path(folder) / archive.NAME
        file.write_text(page, encoding="utf-8")
        return printed(file, program)


def printed(page: Path, program: str) -> bytes:
    """One HTML file as a PDF. program: path of a Chromium. Raises as ``of``."""
    stop = threading.Event()
    try:
        printing = _begun(page.resolve().as_uri(), program, stop)
        try:
            return printing.result()
        finally:
            stop.set()
            wait({printing}, timeout=3 * _CLOSING_S)
    except BenchbookError:
        raise
    except TimeoutError as error:
        raise MachineError(
            f"{program} did not print the book within {TIMEOUT_S:.0f} s", "stop other work on the machine, then repeat"
        ) from error
    except Exception as error:  # the browser's driver has no base class of its own
        raise MachineError(
            f"{program} failed to print ({type(error).__name__}: {error})", "try it by hand, or name another one"
        ) from error


def _begun(address: str, program: str, stop: threading.Event) -> Future[bytes]:
    """The work in a thread of its own, for Ctrl-C between two steps of the browser's driver would leave it open.

    The program does not wait for the thread at its end: a browser that hangs would hold it for ever.
    """
    found: Future[bytes] = Future()

    def work() -> None:
        try:
            found.set_result(asyncio.run(_printed(address, program, stop)))
        except BaseException as error:
            found.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return found


async def _printed(address: str, program: str, stop: threading.Event) -> bytes:
    """stop: set from outside, it breaks the work off; it is set at the end."""
    browser = Browser(path=program)
    work = asyncio.create_task(_content(browser, address))
    stopped = asyncio.create_task(asyncio.to_thread(stop.wait))
    try:
        await asyncio.wait({work, stopped}, timeout=TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise TimeoutError
        return work.result()
    finally:
        stop.set()
        await _closed(browser, work)


async def _closed(browser: Browser, work: asyncio.Task[bytes]) -> None:
    """End the work and the browser, also one that is about to open or answers no more."""
    end = time.monotonic() + _CLOSING_S
    while not hasattr(browser, "subprocess") and not work.done() and time.monotonic() < end:
        await asyncio.sleep(0.05)  # what is not there yet cannot be ended
    work.cancel()
    # While the browser is open; what the driver makes of it matters to nobody.
    with suppress(TimeoutError):
        await asyncio.wait_for(asyncio.gather(work, return_exceptions=True), _CLOSING_S)
    with suppress(Exception):
        await asyncio.wait_for(browser.close(), _CLOSING_S)
    process = getattr(browser, "subprocess", None)
    if process is not None and process.poll() is None:
        process.kill()


async def _content(browser: Browser, address: str) -> bytes:
    await browser.open()
    tab = await browser.create_tab()
    metrics = {"width": WIDTH_PX, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    await _asked(tab, "Emulation.setDeviceMetricsOverride", metrics)
    await _asked(tab, "Emulation.setEmulatedMedia", {"media": "print"})
    await navigate_and_wait(tab, address, timeout=TIMEOUT_S)
    _check(await _asked(tab, "Runtime.evaluate", {"expression": _READY, "awaitPromise": True}))
    handle = (await _asked(tab, "Page.printToPDF", _OPTIONS))["stream"]
    return await _stream(tab, handle)


async def _asked(tab: Tab, command: str, parameters: dict[str, Any]) -> dict[str, Any]:
    answer = await tab.send_command(command, parameters)
    if "error" in answer:
        raise MachineError(f"the browser refused {command}: {answer['error']['message']}", "try a newer Chromium")
    result: dict[str, Any] = answer["result"]
    return result


def _check(answer: dict[str, Any]) -> None:
    """A figure that fails to draw must not become a white box on paper."""
    if "exceptionDetails" in answer:
        details = answer["exceptionDetails"]
        words = details.get("exception", {}).get("description") or details.get("text", "")
        raise BenchbookError(f"a figure could not be drawn for printing: {words}", _LOOK)
    if blank := json.loads(answer["result"]["value"])["blank"]:
        raise BenchbookError(f"not every figure could be drawn for printing: {', '.join(blank)}", _LOOK)


async def _stream(tab: Tab, handle: str) -> bytes:
    """In pieces, because one message would hold the whole file."""
    parts = []
    while True:
        answer = await _asked(tab, "IO.read", {"handle": handle, "size": _CHUNK_BYTES})
        data = answer["data"]
        parts.append(base64.b64decode(data) if answer.get("base64Encoded") else data.encode("latin-1"))
        if answer["eof"]:
            await _asked(tab, "IO.close", {"handle": handle})
            return b"".join(parts)
