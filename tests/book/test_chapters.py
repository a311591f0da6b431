"""Executing chapters: only what changed, nothing half-written, errors that name the cell."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
import pytest

from benchbook.book.assembly import execution, run_notebook, workers
from benchbook.book.assembly.chapter_plan import Shown, plan
from benchbook.book.assembly.chapters import execute_all
from benchbook.book.assembly.progress import Progress
from benchbook.errors import BenchbookError, MachineError
from benchbook.figures import LESSON_MIME_TYPE, VERDICTS_MIME_TYPE

RECORD = {"claim_id": "L1", "outcome": "holds"}
LESSON = {"chapter": "one", "title": "Do"}
SHOW = f"""
import os, sys
from pathlib import Path
from IPython.display import display
print("size is", size, os.environ["BENCHBOOK_MEASURE"], os.environ["BENCHBOOK_SOURCE"], "in", Path.cwd())
print("careful", file=sys.stderr)
print(sys.executable)
display({{"{VERDICTS_MIME_TYPE}": [{RECORD!r}], "text/plain": "verdicts"}}, raw=True)
display({{"{LESSON_MIME_TYPE}": {LESSON!r}, "text/plain": "lesson"}}, raw=True)
"""


# A kernel that writes down how it is ended; Jupyter's hooks around each message would put back its own answer.
WATCH = """
import atexit, signal
from pathlib import Path
kernel = get_ipython().kernel
kernel.pre_handler_hook = kernel.post_handler_hook = lambda: None
signal.signal(signal.SIGINT, lambda *_: Path("interrupted").touch())
atexit.register(Path("ended-by-itself").touch)
"""

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
PRIVATE = ["ipc 0o700", "[]", "[]"]
BUILD = "from benchbook.cli import main; main()"


def execute(root: Path) -> list[Path]:
    return execute_all(root, plan(root, Shown()), edition=False, progress=Progress(quiet=True))


def printed(chapter: Path) -> str:
    cells = nbformat.read(chapter, as_version=4).cells
    return "".join(output.get("text", "") for cell in cells if cell.cell_type == "code" for output in cell.outputs)


def test_a_chapter_is_executed_with_its_parameters_in_this_environment_and_published_clean(
    small_root: Path, write_notebook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Another kernel named python3, as a user may have registered.
    kernel = small_root / "other" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text('{"argv": ["/bin/false"], "display_name": "x", "language": "python"}')
    monkeypatch.setenv("JUPYTER_PATH", str(small_root / "other"))
    write_notebook("one", "size = 1", SHOW)
    (chapter,) = execute(small_root)
    text = chapter.read_text()
    assert "size is 2 never local in notebooks" in printed(chapter)
    assert str(small_root) not in text
    assert sys.executable in printed(chapter)
    assert "careful" not in printed(chapter), "stderr is for the person who builds"
    notebook = nbformat.read(chapter, as_version=4)
    assert "papermill" not in notebook.metadata
    assert notebook.metadata.kernelspec.name == "python3"
    tags = [cell.metadata.tags for cell in notebook.cells if cell.cell_type == "code"]
    assert tags == [["parameters", "remove-input"], ["injected-parameters", "hide-input"], ["hide-input"]]
    assert json.loads((chapter.parent / "verdicts.json").read_text()) == [RECORD]
    assert json.loads((chapter.parent / "lessons.json").read_text()) == [LESSON]

    stamp = chapter.stat().st_mtime_ns
    execute(small_root)
    assert chapter.stat().st_mtime_ns == stamp, "nothing changed, so nothing is executed"


def test_what_a_run_executed_already_is_taken_over(
    small_root: Path, write_notebook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_notebook("one", "size = 1", SHOW)
    (first,) = execute(small_root)
    before = first.read_text()
    (small_root / "data" / "notes" / "more.csv").write_text("x\n")
    asked: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(run_notebook, "saved", lambda name, given: asked.append((name, given)) or before)
    monkeypatch.setattr(workers, "workers", lambda *_: pytest.fail("it was executed"))
    (chapter,) = execute(small_root)
    assert asked == [("one", {"size": 2})]
    assert chapter.read_text() == before
    assert plan(small_root, Shown())[0].is_current()
    chapter.write_text(chapter.read_text().replace("size is 2", "size is 3"))
    execute(small_root)
    assert "size is 2" in chapter.read_text(), "a chapter altered by hand is made again"


def test_a_kernel_is_asked_to_end_and_never_interrupted(small_root: Path, write_notebook: Any) -> None:
    write_notebook("one", "size = 1", WATCH)
    execute(small_root)
    assert (small_root / "notebooks" / "ended-by-itself").exists()
    assert not (small_root / "notebooks" / "interrupted").exists()


def test_a_failing_cell_is_named_and_the_last_good_chapter_stays(small_root: Path, write_notebook: Any) -> None:
    write_notebook("good", "size = 1", "print(size)")
    write_notebook("bad", "size = 1", "print('before')", "total = size / 0")
    with pytest.raises(BenchbookError) as caught:
        execute(small_root)
    assert "notebooks/bad.ipynb stopped at cell 4 (total = size / 0): ZeroDivisionError" in caught.value.problem
    left = sorted(path.name for path in (small_root / "book" / "chapters").iterdir())
    assert left == ["good.ipynb", "good.key.json"]


@pytest.mark.parametrize(
    ("cell", "told", "mend"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "killed by signal 9 (SIGKILL)", "free memory"),
        ("import os; os.abort()", "ended by signal 6 (SIGABRT)", "repeat the command"),
        ("import os; os._exit(7)", "its process ended with exit code 7", "fix the notebook"),
    ],
    ids=["killed", "aborted", "ended by its own code"],
)
def test_a_dead_kernel_is_told_by_what_ended_it(
    small_root: Path, write_notebook: Any, cell: str, told: str, mend: str
) -> None:
    write_notebook("dead", "size = 1", cell)
    with pytest.raises(BenchbookError) as caught:
        execute(small_root)
    assert "notebooks/dead.ipynb" in caught.value.problem
    assert told in caught.value.problem
    assert mend in caught.value.mend
    assert ("fix the notebook" in caught.value.mend) == (mend == "fix the notebook")


def test_a_chapter_without_a_run_says_so_and_is_made_again_when_there_is_one(
    small_root: Path, write_notebook: Any, write_run: Any
) -> None:
    obtain = (
        "from pathlib import Path\nfrom benchbook.errors import NoStoredRunError\n"
        "if not Path('../runs').exists():\n    raise NoStoredRunError('no run', 'measure')\nprint('shown')"
    )
    write_notebook("one", "size = 1", obtain)
    (chapter,) = execute(small_root)
    assert "# About one" in chapter.read_text()
    assert "benchbook run one --profile quick" in chapter.read_text()
    write_run("one", "r1", None, published=False)
    (chapter,) = execute(small_root)
    assert printed(chapter) == "shown\n"


def test_a_chapter_whose_notebook_is_gone_leaves_the_book(small_root: Path) -> None:
    folder = small_root / "book" / "chapters"
    folder.mkdir()
    for name in ("old.ipynb", "old.key.json"):
        (folder / name).write_text("{}")
    execute(small_root)
    kept = ["figures.json", "lessons.json", "runs.json", "verdicts.json"]
    assert sorted(path.name for path in folder.iterdir()) == kept


@pytest.mark.long  # that a kernel opens no port: below
def test_a_book_is_built_without_a_loopback_interface(small_root: Path, write_notebook: Any) -> None:
    if subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False).returncode:
        pytest.skip("a network namespace of its own is not allowed here")
    settings = "title: Small\nonly_build_toc_files: true\nexecute:\n  execute_notebooks: 'off'\n"
    (small_root / "_config.yml").write_text(settings)
    write_notebook("one", "size = 1", LOOK)
    command = ["unshare", "-n", sys.executable, "-c", BUILD, "build", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=small_root)
    assert (done.returncode, done.stderr) == (0, "")
    said = printed(small_root / "book" / "chapters" / "one.ipynb").splitlines()
    assert said[:4] == [*PRIVATE, "no loopback"]
    assert (small_root / "_build" / "html" / "index.html").is_file()


def test_a_kernel_opens_no_port_and_its_sockets_are_private_also_where_the_folder_of_temporary_files_is_too_long(
    small_root: Path, write_notebook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = small_root / ("long" * 25)
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    write_notebook("one", "size = 1", LOOK)
    (chapter,) = execute(small_root)
    assert printed(chapter).splitlines()[:3] == PRIVATE
    assert list(folder.iterdir()) == []


def test_where_no_path_is_short_enough_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "_LONGEST_SOCKET_PATH", 20)
    with pytest.raises(MachineError, match="too long a path for a notebook's Unix sockets; set TMPDIR to a shorter"):
        execution.execute(execution.Job("one", Path("one.ipynb"), {}, {}))
