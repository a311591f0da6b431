"""Programs of the page *Reports*: shown with what they printed, and what they show is still so."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REPORTS = sorted(path for path in (ROOT / "book" / "reports").iterdir() if path.is_dir())
BADGER, ROCKSDB = (ROOT / "book" / "reports" / name for name in ("badger-cache-charge", "rocksdb-filter-shard"))
HEADERS = Path("/usr/include/rocksdb")
SHOWN = re.compile(r"\{literalinclude\} (\S+)")
BADGER_LINE = re.compile(r"^(\w+) +(\d+) MiB, .* ([\d.]+) kB a block, +([\d.]+) % hits$", re.M)
ROCKSDB_LINE = re.compile(r"^(\w.*?)  +1 +[\d.]+ +([\d.]+) +([\d.]+) +(\d+) +[\d.]+$", re.M)
BLOCK_KB, FEW_PERCENT, MOST_PERCENT = 5, 5, 80


def run(folder: Path, **named: str) -> str:
    result = subprocess.run(
        [folder / "run.sh"], env=os.environ | named, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def badger_is_shown(printed: str) -> None:
    as_is, mended = printed.split(" with fix.diff")
    before, after = ({match[:2]: match[2:] for match in BADGER_LINE.findall(each)} for each in (as_is, mended))
    assert set(before) == set(after) == {("none", "64"), ("none", "1024"), ("Snappy", "64")}
    for (compression, _), (charge, hits) in before.items():
        if compression == "none":
            assert float(charge) > 100 * BLOCK_KB, "a block is charged far more than it has"
            assert float(hits) < FEW_PERCENT
    for charge, hits in (*after.values(), before["Snappy", "64"]):
        assert float(charge) < BLOCK_KB, "a block is charged what it has"
        assert float(hits) > MOST_PERCENT


def rocksdb_is_shown(printed: str) -> None:
    found = {name: [float(each) for each in counts] for name, *counts in ROCKSDB_LINE.findall(printed)}
    slow = found.pop("cached, 64 shards of 0.5 MiB")
    assert slow == [1, 0, 0], "each look-up reads the filter, and nothing says so"
    assert set(found) == {
        "outside the cache, the default", "cached, 1 shard of 32 MiB", "cached, 64 shards, pinned",
        "cached, 64 shards, partitions",
    }  # fmt: skip
    assert all(read < 0.01 for read, _, _ in found.values()), "each way out keeps the filter"


def test_each_file_that_a_reader_needs_is_shown_on_the_page() -> None:
    shown = {(ROOT / "book" / name).resolve() for name in SHOWN.findall((ROOT / "book" / "reports.md").read_text())}
    for folder in REPORTS:
        assert {path for path in folder.glob("*") if path.suffix in {".go", ".cc", ".diff", ".txt"}} <= shown, folder
        assert os.access(folder / "run.sh", os.X_OK)


def test_what_the_page_shows_as_printed_shows_the_defects() -> None:
    badger_is_shown((BADGER / "output.txt").read_text())
    rocksdb_is_shown((ROCKSDB / "output.txt").read_text())


def test_badger_is_the_version_that_the_chapters_measure() -> None:
    pinned = re.compile(r"github.com/dgraph-io/badger/v4 (v\S+)")
    [version] = pinned.findall((BADGER / "go.mod").read_text())
    assert [version] == pinned.findall((ROOT / "probes" / "badger" / "go.mod").read_text())
    assert f"Badger {version} as it is" in (BADGER / "output.txt").read_text()


@pytest.mark.engine
@pytest.mark.long
def test_badger_still_charges_too_much_and_the_mend_still_applies() -> None:
    places = (os.environ.get("BENCHBOOK_GO"), ROOT / ".venv" / "bin" / "go", "go")
    go = next((found for each in places if each and (found := shutil.which(each))), None)
    if go is None or shutil.which("patch") is None:
        pytest.skip("needs Go, which make setup installs, and patch")
    badger_is_shown(run(BADGER, GO=go))


@pytest.mark.engine
@pytest.mark.long
def test_rocksdb_still_reads_the_filter_for_each_look_up() -> None:
    if not HEADERS.is_dir():
        pytest.skip("needs RocksDB's headers, which make probe-kv installs")
    rocksdb_is_shown(run(ROCKSDB))


@pytest.mark.skipif(not (HEADERS / "table.h").is_file() or not shutil.which("patch"), reason="needs the header, patch")
def test_the_mend_of_rocksdbs_words_applies_to_the_header_that_is_installed(tmp_path: Path) -> None:
    copy = tmp_path / "include" / "rocksdb" / "table.h"
    copy.parent.mkdir(parents=True)
    shutil.copy(HEADERS / "table.h", copy)
    patched = subprocess.run(["patch", "-s", "-p1", "-d", tmp_path, "-i", ROCKSDB / "fix.diff"], capture_output=True)
    assert patched.returncode == 0, patched.stdout
