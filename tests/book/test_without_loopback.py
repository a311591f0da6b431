"""Notebooks are executed without any network: kernels listen on Unix sockets in a private folder, on no port."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from benchbook.book.assembly import execution
from benchbook.book.assembly.chapter_plan import Shown, plan
from benchbook.book.assembly.chapters import execute_all
from benchbook.book.assembly.progress import Progress
from benchbook.errors import MachineError

WriteNotebook = Callable[..., Path]

LOOK = """
import errno, os, socket
import psutil
from ipykernel.connect import get_connection_info
found = get_connection_info(unpack=True)
print(found["transport"], oct(os.stat(os.path.dirname(found["ip"])).st_mode & 0o777))
for process in (psutil.Process(), psutil.Process().parent()):
    print(process.net_connections("inet"))
reached = socket.socket().connect_ex(("127.0.0.1", 9))
print("no loopback" if reached == errno.ENETUNREACH else "loopback")
"""
BUILD = "from benchbook.cli import main; main()"


def printed(chapter: Path) -> list[str]:
    cells = nbformat.read(chapter, as_version=4).cells
    return "".join(out.get("text", "") for cell in cells if cell.cell_type == "code" for out in cell.outputs).split(
        "\n"
    )


def execute(root: Path) -> list[Path]:
    return execute_all(root, plan(root, Shown()), edition=False, progress=Progress(quiet=True))


def test_a_kernel_opens_no_port_and_its_sockets_are_private(small_root: Path, write_notebook: WriteNotebook) -> None:
    write_notebook("one", "size = 1", LOOK)
    (chapter,) = execute(small_root)
    assert printed(chapter)[:3] == ["ipc 0o700", "[]", "[]"]


@pytest.mark.long  # that a kernel opens no port: above
def test_a_book_is_built_without_a_loopback_interface(small_root: Path, write_notebook: WriteNotebook) -> None:
    if subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode:
        pytest.skip("a network namespace of its own is not allowed here")
    settings = "title: Small\nonly_build_toc_files: true\nexecute:\n  execute_notebooks: 'off'\n"
    (small_root / "_config.yml").write_text(settings)
    write_notebook("one", "size = 1", LOOK)
    command = ["unshare", "-n", sys.executable, "-c", BUILD, "build", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=small_root)
    assert (done.returncode, done.stderr) == (0, "")
    assert printed(small_root / "book" / "chapters" / "one.ipynb")[:4] == ["ipc 0o700", "[]", "[]", "no loopback"]
    assert (small_root / "_build" / "html" / "index.html").is_file()


def test_where_the_folder_for_temporary_files_has_too_long_a_path_another_one_is_taken(
    small_root: Path, write_notebook: WriteNotebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = small_root / ("long" * 25)
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    write_notebook("one", "size = 1", LOOK)
    (chapter,) = execute(small_root)
    assert printed(chapter)[0] == "ipc 0o700"
    assert list(folder.iterdir()) == []


def test_where_no_path_is_short_enough_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "_LONGEST_SOCKET_PATH", 20)
    with pytest.raises(
        MachineError, match="too long a path for a notebook's Unix sockets; set TMPDIR to a shorter one"
    ):
        execution.execute(execution.Job("one", Path("one.ipynb"), {}, {}))
