"""Files of the project's data, packs and notes are read in one place, and programs are started in one.

Whoever opens or starts any other way is found here.
"""

import ast
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import benchbook as package
from benchbook import nofollow
from benchbook.errors import StoredRunError

SOURCES = Path(package.__file__).parent
OPENERS = frozenset(
    {"ParquetFile", "ZipFile", "copyfile", "fdopen", "fromfile", "memmap", "open", "open_code", "read_bytes",
     "read_csv", "read_json", "read_metadata", "read_parquet", "read_schema", "read_table", "read_text"}
)  # fmt: skip
LOADERS = {"np.load", "numpy.load", "pickle.load", "tarfile.open", "zipfile.ZipFile"}
ELSEWHERE = {
    "engines": "servers, probes and what they write, in folders of their own; the kernel's files",
    "runner": "the machine's lock",
    "children": "pipes, and the surroundings of a process that is started",
    "nofollow": "the door itself",
    "bench": "a copy of the project that is built and measured",
    "book/assembly": "what a build made below _build and book/chapters",
    "book/onefile": "pages that a build made",
    "book/pages": "what a build made, and the project's own words: CITATION.cff, CHANGELOG.md",
    "book/parts": "drawings and records that a build made",
    "book/records": "what a build made, and the project's own settings and words",
    "book/sphinx_extension.py": "pages that a build made",
    "book/crate": "a crate: a zip file that the user names, made in a folder of its own",
    "figures/drawings.py": "drawings that were made here",
    "provenance/closure.py": "the code that runs",
    "provenance/host.py": "the kernel's files",
    "provenance/identity.py": "the machine's id",
    "chapters/memory_pressure.py": "the kernel's files",
    "measuring/kv/bounded.py": "a file that the chapter wrote, without following links",
    "caches": "a trace that the user names, and one for libCacheSim in a folder of its own",
    "own_numbers": "files that the user names, and rules that lie with the code",
    "parameters/heads.py": "the code that runs: a chapter's words",
    "parameters/profiles.py": "parameters that the user names, a pipe among them, read up to 10,000 characters",
    "numbers/plans.py": "a file that is written",
    "cli/commands.py": "the code that runs: what commands say of themselves",
    "cli/verdict_summary.py": "a text that the user names, to be changed between two marks",
    "files.py": "a file without a name that is made to be measured",
    "limits.py": "the kernel's files",
    "project.py": "whether a folder is a clone",
    "temporary.py": "locks of folders that were made here",
    "reuse/trial_project.py": "the clone's own settings, to begin a trial with",
    "reuse/chapter_files.py": "the clone's own chapter and contents, to begin a chapter with",
    "reuse/packs.py": "a file that the door has opened, and what is unpacked from it",
    "store/atomic.py": "a file that was written, to make it durable",
    "store/outputs.py": "the device or pipe that the user named",
    "store/remembered.py": "the code that runs",
    "store/sums.py": "a folder, to lock it",
    "store/tables.py": "a file that the door has opened",
}
"""Where files are opened that are none of the project's data: folder or file of the package, to what it opens."""


def opened(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            words = ast.unparse(node.func)
            dot, name = words.rpartition(".")[1:]
            own = words.startswith(("nofollow.", "packs.")) or "nofollow." in ast.unparse(node)
            if words in LOADERS or (name in OPENERS and (dot or name.startswith("open")) and not own):
                yield f"line {node.lineno}: {ast.unparse(node)[:80]}"


def known(name: str) -> bool:
    return any(name == each or name.startswith(f"{each}/") for each in ELSEWHERE)


def test_nobody_opens_the_project_s_data_but_the_door() -> None:
    found = {
        name: lines
        for path in sorted(SOURCES.rglob("*.py"))
        if not known(name := path.relative_to(SOURCES).as_posix()) and (lines := [*opened(path)])
    }
    assert found == {}, "read it by benchbook.nofollow, or say in ELSEWHERE why it is none of the project's data"


def test_every_exception_is_one() -> None:
    for name in ELSEWHERE:
        place = SOURCES / name
        paths = [place] if place.is_file() else [*place.rglob("*.py")]
        assert any([*opened(path)] for path in paths), f"{name} opens nothing: leave it out"


DATA = ("claims.csv", "plans.csv", "SHA256SUMS", "documents.csv", "run.json", "trials.parquet", "samples.parquet")
"""Names of data; whoever builds one of them into a path does not open it by hand."""


@pytest.mark.parametrize("folder", ["book/pages", "book/parts", "book/records", "book/crate", "book/assembly"])
def test_no_room_of_the_book_opens_a_table_by_hand(folder: str) -> None:
    for path in sorted((SOURCES / folder).glob("*.py")):
        for line in opened(path):
            assert not any(name in line for name in (*DATA, "DictReader", "parquet", "sums.FILE", "ledger")), path


STARTS = re.compile(
    r"\bsubprocess\.[a-z]\w*\(|\bPopen\(|create_subprocess_|\bos\.(?:exec|fork|popen|posix_spawn|spawn|system)\w*\("
    r"|\bProcessPoolExecutor\(|\bfrom subprocess import|\bimport subprocess as"
)
STARTED_ELSEWHERE = {
    "children/": "the door itself: what it starts ends with its owner, see faults/test_killed_owners",
    "engines/guardian.py: Popen(": "it outlives a killed owner, to take down what that had set up",
    "book/assembly/workers.py: ProcessPoolExecutor(": "they watch their builder themselves, see faults/test_ctrl_c",
    'engines/probe.py: subprocess.run(["ldd"': "the linker, for 30 s at most; the probe itself goes through the door",
    "engines/storage/compiling.py: subprocess.run(": "a compiler, for a limited time, before anything is measured",
    "doctor/programs.py: subprocess.run(": "the version of a Go, for 30 s at most",
    "provenance/git.py: subprocess.run(": "git, which is asked and changes nothing, for a limited time",
}
"""Where programs are started that no end of their owner ends: file, and call if it may do nothing else, to why."""


def test_nobody_starts_a_program_but_the_door() -> None:
    found = [
        f"{path.relative_to(SOURCES).as_posix()}: {text[match.start() :][:80]}"
        for path in sorted(SOURCES.rglob("*.py"))
        for text in [path.read_text("utf-8")]
        for match in STARTS.finditer(text)
    ]
    others = [each for each in found if not each.startswith((*STARTED_ELSEWHERE,))]
    assert others == [], "start it by benchbook.children, or say in STARTED_ELSEWHERE why it may outlive its owner"
    for name in STARTED_ELSEWHERE:
        assert any(each.startswith(name) for each in found), f"{name} starts nothing: leave it out"


def linked_folder(path: Path) -> None:
    path.write_text("ours")
    path.parent.rename(path.parents[1] / "moved")
    path.parent.symlink_to("moved")


PLANTED: dict[str, Callable[[Path], Any]] = {
    "link": lambda path: path.symlink_to(path.parents[1] / "elsewhere"),
    "link to a device": lambda path: path.symlink_to("/dev/zero"),
    "link to nothing": lambda path: path.symlink_to("nowhere"),
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "large": lambda path: path.write_bytes(b"x" * 11),
    "sparse": lambda path: (path.touch(), os.truncate(path, 2**40)),
    "linked folder": linked_folder,
}
"""What makes something else of a path than a file of the project."""


def planted(folder: Path, plant: Callable[[Path], Any]) -> Path:
    path = folder / "inner" / "file"
    path.parent.mkdir()
    (folder / "elsewhere").write_text("theirs")
    plant(path)
    return path


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_the_door_refuses_whatever_is_no_file_of_the_project(tmp_path: Path, plant: Callable[[Path], Any]) -> None:
    path = planted(tmp_path, plant)
    with pytest.raises(StoredRunError, match=r"only a regular file|more than the 10"):
        nofollow.content(path, 10, 2)
    with pytest.raises(StoredRunError):
        nofollow.words(path, 10, 2)


def test_what_lies_above_is_the_user_s_own(tmp_path: Path) -> None:
    path = planted(tmp_path, linked_folder)
    assert nofollow.content(path, 10) == b"ours"
    assert not nofollow.is_folder(path.parent)
    assert nofollow.is_folder(tmp_path / "moved", 2)


def test_line_ends_are_told_the_same_and_a_missing_file_is_missing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"id,b\r\nx,1\r\n")
    assert nofollow.words(tmp_path / "a") == "id,b\nx,1\n"
    assert list(nofollow.rows(tmp_path / "a")) == [{"id": "x", "b": "1"}]
    for absent in (tmp_path / "b", tmp_path / "none" / "b"):
        with pytest.raises(FileNotFoundError, match=str(absent.parent)):
            nofollow.content(absent, levels=2)
