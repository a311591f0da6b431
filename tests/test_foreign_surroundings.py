"""The tests pass whatever the clone holds and whoever starts them: runs, built pages, caches, variables, a locale."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sealing import write_run

from benchbook import project, store
from benchbook.reuse import foreign

ROOT = Path(__file__).parents[1]
SELECTED = (
    "tests/cli/test_plain_commands.py",
    "tests/cli/test_verdict_summary.py",
    "tests/cli/test_queue_command.py",
    "tests/experiments/test_chosen_runs.py",
    "tests/store/test_leases.py",
    "tests/store/test_round_trip.py",
    "tests/test_foreign_surroundings.py",
)
NOWHERE = "/nowhere/at all"
VARIABLES = {
    "BENCHBOOK_HOME": NOWHERE, "BENCHBOOK_SCRATCH": NOWHERE, "BENCHBOOK_LOCK_FOLDER": NOWHERE,
    "BENCHBOOK_PG_BIN": NOWHERE, "BENCHBOOK_PG_SERVICE": "theirs", "BENCHBOOK_CHROMIUM": NOWHERE,
    "BENCHBOOK_SOURCE": "none of the three", "BENCHBOOK_MEASURE": "never", "BENCHBOOK_DEBUG": "1",
    "PGHOST": NOWHERE, "PGPORT": "1", "PGUSER": "nobody", "PGOPTIONS": "-c work_mem=1", "PGSERVICEFILE": NOWHERE,
    "LC_ALL": "tr_TR.ISO-8859-9", "LANG": "de_DE.UTF-8", "LANGUAGE": "de", "TZ": "Asia/Kathmandu", "COLUMNS": "30",
    "FORCE_COLOR": "1", "SOURCE_DATE_EPOCH": "not a number", "XDG_STATE_HOME": NOWHERE, "JUPYTER_PATH": NOWHERE,
    "JUPYTER_CONFIG_DIR": NOWHERE, "IPYTHONDIR": NOWHERE,
}  # fmt: skip
"""Of a user who has set everything that there is to set, and wrongly."""


def test_none_of_the_runs_of_the_clone_are_seen() -> None:
    assert project.root() == ROOT
    assert [entry.folder for entry in store.catalogue() if not entry.published] == []
    assert foreign.entries() == []


def test_nothing_of_the_users_surroundings_is_seen() -> None:
    assert not [name for name in os.environ if name.startswith(("BENCHBOOK_", "PG", "JUPYTER_P"))]
    assert os.environ["LC_ALL"] == "C.UTF-8"
    assert not {NOWHERE, "de", "30"} & set(os.environ.values())


def clone(folder: Path) -> None:
    """The files of this clone that git knows or would take, as they are now."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
            shutil.copymode(ROOT / name, folder / name)


def plant(folder: Path) -> None:
    """What a user may have left in a clone: unfinished, damaged, foreign and unknown runs, half a book, old caches."""
    unfinished = write_run(folder, "index_only", "0123456789ab-20260101T000000", state="measuring")
    (unfinished / "parts").mkdir()
    (unfinished / "parts" / "00000.json").write_text("torn")
    (unfinished / "lease-3.json").write_text("[]")
    write_run(folder, "hot_cold_keys", "1123456789ab-20270101T000000", profile="quick")
    damaged = write_run(folder, "lru", "2123456789ab-20260101T000000")
    (damaged / "run.json").write_text('{"schema": 10')
    (damaged / "trials.parquet").write_bytes(b"\0" * 100)
    newer = write_run(folder, "lru", "3123456789ab-20260101T000000")
    (newer / "run.json").write_text(json.dumps({"schema": 999}))
    (folder / "runs" / "gone_experiment" / "4123456789ab-20260101T000000").mkdir(parents=True)
    (folder / "runs" / "lru" / "link").symlink_to("/dev")
    os.mkfifo(folder / "runs" / "lru" / "pipe")
    (folder / "runs" / ".records-found-right.json").write_text("[[[[")
    foreign = shutil.copytree(newer, folder / "foreign" / "lru" / newer.name)
    (foreign / "run.json").write_text("null")
    (folder / "_build" / "html").mkdir(parents=True)
    (folder / "_build" / "html" / "index.html").write_text("half a book")
    (folder / "_build" / "book.key.json").write_text("{")
    (folder / "book" / "chapters").mkdir(parents=True, exist_ok=True)
    (folder / "book" / "chapters" / "odd.ipynb").write_text("no notebook")


def content(folder: Path) -> dict[str, str]:
    found = {}
    for name in ("runs", "foreign", "_build", "book/chapters"):
        for path in (folder / name).rglob("*"):
            found[str(path.relative_to(folder))] = path.read_text("latin-1") if path.is_file() else "no file"
    return found


@pytest.mark.long
def test_a_clone_full_of_odd_things_and_an_odd_user_change_no_test(tmp_path: Path) -> None:
    clone(tmp_path)
    plant(tmp_path)
    before = content(tmp_path)
    command = [sys.executable, "-m", "pytest", "-n0", "-q", "-m", "not long", "-p", "no:cacheprovider", *SELECTED]
    surroundings = os.environ | VARIABLES | {"PYTHONPATH": str(tmp_path / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-10_000:]
    assert content(tmp_path) == before
