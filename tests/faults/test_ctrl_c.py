"""Ctrl-C, as a terminal sends it to the whole group of processes: one sentence, and nothing left, whenever it comes.

And surroundings that a build did not choose: few open files, a variable that is set to nothing.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import psutil
import pytest
from eventually import eventually

# One group, because the book is built once for all of them.
pytestmark = [pytest.mark.faults, pytest.mark.xdist_group("ctrl_c")]

MAIN = "from benchbook.cli import main; main()"
# Counts what is imported from the first line of the program on, and presses Ctrl-C at the import that is asked for.
AT_AN_IMPORT = f"""
import os, signal, sys
wanted = int(sys.argv.pop(1))
class Meanwhile:
    seen = 0
    def find_spec(self, name, path=None, target=None):
        self.seen += 1
        if self.seen == wanted:
            for _ in range(3):
                os.killpg(0, signal.SIGINT)
import benchbook.cli
sys.meta_path.insert(0, meanwhile := Meanwhile())
try:
    {MAIN}
finally:
    sys.stderr.write(f"{{meanwhile.seen}} imports")
"""
CELL = """
import time
from pathlib import Path
Path("../begun").touch()
while not Path("../go-on").exists():
    time.sleep(0.05)
"""
NAMES = ("one", "two", "three")


def start(root: Path, *command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, cwd=root, env=os.environ | variables(root),
    )  # fmt: skip


def variables(root: Path) -> dict[str, str]:
    return {"BENCHBOOK_HOME": str(root), "BENCHBOOK_SCRATCH": str(root / "s"), "TMPDIR": str(root / "t")}


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """How it ended, what it printed, and what it told."""
    out, said = process.communicate(timeout=300)
    return process.returncode, out, said


def write(root: Path) -> None:
    """A project of three chapters whose cells wait for a file."""
    for name in ("notebooks", "data/notes", "data/published", "book", "s", "t", "src/benchbook"):
        (root / name).mkdir(parents=True)
    (root / "src" / "benchbook" / "code.py").write_text("VALUE = 1\n")
    (root / "_config.yml").write_text(
        "title: Small\nonly_build_toc_files: true\nexecute:\n  execute_notebooks: 'off'\n"
    )
    lines = ["format: jb-book", "root: book/index", "chapters:", *(f"  - file: book/chapters/{name}" for name in NAMES)]
    (root / "_toc.yml").write_text("\n".join(lines))
    for name in ("claims.csv", "claims-amendments.csv", "notes/numbers.csv"):
        (root / "data" / name).write_text("id\n")
    (root / "book" / "index.md").write_text("# Small\n")
    for name in NAMES:
        parameters = nbformat.v4.new_code_cell("size = 1", metadata={"tags": ["parameters"]})
        cells = [nbformat.v4.new_markdown_cell(f"# About {name}"), parameters, nbformat.v4.new_code_cell(CELL)]
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), root / "notebooks" / f"{name}.ipynb")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That project with its book."""
    root = tmp_path_factory.mktemp("b")
    write(root)
    (root / "go-on").touch()
    code, _, said = ended(start(root, MAIN, "build", "--quiet"))
    assert code == 0, said
    check_nothing_left(root)
    return root


@pytest.fixture
def root(built: Path) -> Iterator[Path]:
    """The same, all of it to be made again."""
    shutil.rmtree(built / "book" / "chapters", ignore_errors=True)
    (built / "_build" / "book.key.json").unlink(missing_ok=True)
    for name in ("begun", "go-on"):
        (built / name).unlink(missing_ok=True)
    yield built
    for process in processes(built):
        process.kill()


def processes(root: Path) -> list[psutil.Process]:
    """Everything that runs with this project's folder for temporary files."""
    found = []
    for process in psutil.process_iter(["environ", "status"]):
        if (process.info["environ"] or {}).get("TMPDIR") == str(root / "t") and process.info["status"] != "zombie":
            found.append(process)
    return found


def left(root: Path) -> list[str]:
    folders = [*(root / "t").iterdir(), *(root / "s").iterdir()]
    half_made = [root / "_build" / name for name in ("next", "previous")]
    return [path.name for path in (*folders, *half_made) if path.exists() and not tried_out(path)]


def tried_out(path: Path) -> bool:
    """What an interpreter that is killed while its tempfile module tries a folder leaves there: four bytes of no name.

    Source: _get_default_tempdir in CPython's Lib/tempfile.py.
    """
    return path.is_file() and len(path.name) == 8 and path.read_bytes() in (b"", b"blat")


def check_nothing_left(root: Path) -> None:
    # What belongs to the interpreter alone, as its tracker of semaphores, ends a moment after it.
    assert eventually(lambda: not processes(root)), processes(root)
    assert left(root) == []


def test_at_any_moment_of_the_start(tmp_path: Path) -> None:
    write(tmp_path)
    code, _, said = ended(start(tmp_path, AT_AN_IMPORT, "-1", "runs"))
    assert code == 0, said
    imports = int(said.split()[-2])
    assert imports > 200
    for moment in range(1, imports, imports // 12):
        code, out, said = ended(start(tmp_path, AT_AN_IMPORT, str(moment), "runs"))
        assert (code, out) == (130, ""), (moment, said)
        assert said.splitlines() in (["stopped"], ["stopped", f"{moment} imports"]), (moment, said)
        check_nothing_left(tmp_path)


MOMENTS: dict[str, Callable[[Path], bool]] = {
    "the workers are starting": lambda root: len(processes(root)) > 2,
    "a folder for a kernel is there": lambda root: any((root / "t").glob("benchbook-kernel-*")),
    "a kernel is starting": lambda root: any((root / "t").glob("benchbook-kernel-*/connection.json")),
    "a kernel listens": lambda root: any((root / "t").glob("benchbook-kernel-*/k-*")),
    "a cell is at work": lambda root: (root / "begun").exists(),
}
LATER: dict[str, Callable[[Path], bool]] = {
    "a chapter is stored": lambda root: any((root / "book" / "chapters").glob("*.key.json")),
    "the pages are begun": lambda root: (root / "_build" / "next").exists(),
    "a page is written": lambda root: any((root / "_build" / "next").glob("_build/html/*.html")),
}


def pages(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in (root / "_build" / "html").rglob("*") if path.is_file()}


OFTEN = ("a kernel is starting", "a cell is at work", "a page is written")
"""Moments at which every test run presses it, the others being like them."""


@pytest.mark.parametrize(
    ("moment", "times"),
    [
        *(pytest.param(each, 3, marks=() if each in OFTEN else pytest.mark.long) for each in (MOMENTS | LATER)),
        ("the pages are begun", 1),
        pytest.param("a cell is at work", 1, marks=pytest.mark.long),
    ],
)
def test_at_any_moment_of_a_build(root: Path, moment: str, times: int) -> None:
    before = pages(root)
    if moment in LATER:
        (root / "go-on").touch()
    building = start(root, MAIN, "build", "--quiet")
    reached = (MOMENTS | LATER)[moment]
    assert eventually(lambda: reached(root) or building.poll() is not None)
    assert building.poll() is None, building.communicate()
    for _ in range(times):
        os.killpg(building.pid, signal.SIGINT)
    assert ended(building) == (130, "", "stopped\n")
    check_nothing_left(root)
    assert pages(root) == before


def at_work(root: Path, hangup: signal.Handlers = signal.SIG_DFL) -> subprocess.Popen[str]:
    """A build whose first cell is at work. hangup: as under nohup, or not, however the tests themselves are run."""
    begins = f"import signal; signal.signal(signal.SIGHUP, signal.Handlers({int(hangup)})); {MAIN}"
    building = start(root, begins, "build", "--quiet")
    assert eventually(lambda: (root / "begun").exists() or building.poll() is not None)
    return building


@pytest.mark.parametrize("how", [signal.SIGHUP, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_a_closed_terminal_or_sigterm_ends_a_build_as_quietly(root: Path, how: signal.Signals) -> None:
    building = at_work(root)
    (os.killpg if how == signal.SIGHUP else os.kill)(building.pid, how)
    assert ended(building) == (128 + how, "", "stopped\n")
    check_nothing_left(root)


@pytest.mark.long
def test_under_nohup_a_build_goes_on(root: Path) -> None:
    building = at_work(root, signal.SIG_IGN)
    os.killpg(building.pid, signal.SIGHUP)
    (root / "go-on").touch()
    code, _, said = ended(building)
    assert (code, said) == (0, "")
    check_nothing_left(root)


def test_workers_and_kernels_of_a_build_that_is_killed_tidy_up_by_themselves(root: Path) -> None:
    building = at_work(root)
    building.kill()
    building.wait()
    check_nothing_left(root)


@pytest.mark.parametrize("files", [pytest.param(48, marks=pytest.mark.long), 64])
def test_where_few_files_may_be_open_the_limit_is_named_and_no_notebook(root: Path, files: int) -> None:
    (root / "go-on").touch()
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({files}, {files})); {MAIN}"
    code, _, said = ended(start(root, limited, "build", "--quiet"))
    check_nothing_left(root)
    limit = f"error: only {files} files may be open at once, too few for a notebook's kernel"
    mend = "fix: raise the limit, for example with `ulimit -n 4096`, and repeat the command"
    assert (code, said.splitlines()) == (3, [limit, mend])


def test_an_empty_build_date_is_none(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "")
    (root / "go-on").touch()
    code, _, said = ended(start(root, MAIN, "build", "--quiet"))
    assert (code, said) == (0, "")
