"""Ctrl-C while Chromium prints: the browser ends, its folder goes, and so does the program."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from eventually import eventually

from benchbook.figures import drawings

pytestmark = pytest.mark.faults

# A page whose figures are never drawn, so that its printing goes on until it is stopped.
PAGE = "<script>window.benchbookDrawAll = () => new Promise(() => {});</script><p>A page.</p>"
PRINT = """
import sys
from pathlib import Path
from benchbook import interruption
from benchbook.book.onefile import printing
interruption.take()
try:
    with interruption.interruptible():
        printing.printed(Path("page.html"), sys.argv[1])
except KeyboardInterrupt:
    sys.exit(interruption.exit_code())
finally:
    interruption.let_end()
"""


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a short path: below a long one Chromium cannot make its socket, and leaves the empty folder of it."""
    return tmp_path_factory.mktemp("p")


@pytest.fixture
def printing(folder: Path) -> Iterator[subprocess.Popen[str]]:
    (folder / "page.html").write_text(PAGE)
    (folder / "t").mkdir()
    program = drawings.chromium("this test", "nothing")
    process = subprocess.Popen(
        [sys.executable, "-c", PRINT, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, cwd=folder, env=os.environ | {"TMPDIR": str(folder / "t")},
    )  # fmt: skip
    yield process
    process.kill()
    process.communicate()
    for each in browsers(folder):
        each.kill()


def browsers(folder: Path) -> list[psutil.Process]:
    """The processes of Chromium that were started for this test."""
    found = []
    for process in psutil.process_iter(["environ", "cmdline", "status"]):
        ours = (process.info["environ"] or {}).get("TMPDIR") == str(folder / "t")
        if ours and process.info["status"] != "zombie" and "chrom" in " ".join(process.info["cmdline"] or []):
            found.append(process)
    return found


@pytest.mark.parametrize("what", ["--headless", "--type=renderer"], ids=["the browser starts", "a page is open"])
def test_the_browser_ends_with_the_program(printing: subprocess.Popen[str], folder: Path, what: str) -> None:
    def reached() -> bool:
        with suppress(psutil.NoSuchProcess):
            children = psutil.Process(printing.pid).children(recursive=True)
            return any(what in " ".join(each.cmdline()) for each in children)
        return False

    assert eventually(lambda: reached() or printing.poll() is not None)
    assert printing.poll() is None, printing.communicate()
    for _ in range(3):
        os.killpg(printing.pid, signal.SIGINT)
    out, said = printing.communicate(timeout=300)
    assert (printing.returncode, out, said) == (130, "", "")
    assert eventually(lambda: not browsers(folder)), browsers(folder)
    assert list((folder / "t").iterdir()) == []
