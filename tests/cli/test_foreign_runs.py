"""What is foreign is foreign everywhere: one id, one content, checked when it is added, marked wherever it is shown."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sealing

from benchbook import store
from benchbook.reuse import foreign, packs
from benchbook.store import schema

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "data" / "published" / "lru"
FIRST, SECOND = (path.name for path in sorted(PUBLISHED.iterdir())[:2])


@pytest.fixture
def given(home: Path) -> Path:
    """A project with the second run published; the first is somebody else's."""
    sealing.publish_copy(PUBLISHED / SECOND, home)
    return home


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """The first run in a folder of theirs."""
    return shutil.copytree(PUBLISHED / FIRST, tmp_path / "theirs" / "lru" / FIRST)


def pack(folder: Path, name: str = "run.zip", method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Whatever lies in a folder, as a pack of a run."""
    out = folder.parents[1] / name
    with zipfile.ZipFile(out, "w", method) as archive:
        for each in packs.FILES:
            archive.write(folder / each, f"{folder.parent.name}/{folder.name}/{each}")
    return out


def called(folder: Path, identity: str) -> Path:
    """The same run under another id."""
    made = shutil.copytree(folder, folder.with_name(identity))
    sealing.rewrite(made, id=identity)
    return made


def change(folder: Path, name: str, to: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    to(pd.read_parquet(folder / name)).to_parquet(folder / name, index=False)
    sealing.reseal(folder)


def refused(benchbook: Any, path: Path, words: str) -> None:
    result = benchbook("add", str(path))
    assert result.exit_code in {1, 6}, result.stdout + result.stderr
    assert words in result.stderr
    assert "unforeseen" not in result.stderr
    assert "\x1b" not in result.stderr
    assert not foreign.entries()
    assert not [each for each in foreign.folder().rglob("*") if each.is_file()]


def test_an_id_that_is_published_with_other_content_is_refused(given: Path, benchbook: Any, tmp_path: Path) -> None:
    other = shutil.copytree(PUBLISHED / SECOND, tmp_path / "theirs" / "lru" / SECOND)
    sealing.rewrite(other, profile="standard", provenance=store.schema.read_record(other)["provenance"] | {"cores": 7})
    refused(benchbook, pack(other), f"run {SECOND} is published here with other content")
    same = benchbook("add", str(copied(tmp_path, SECOND)))
    assert same.exit_code == 1
    assert "was published already" in same.stderr


def copied(tmp_path: Path, name: str) -> Path:
    return pack(shutil.copytree(PUBLISHED / name, tmp_path / "copy" / "lru" / name))


def test_one_that_comes_in_later_under_the_same_id_is_taken_for_no_other(given: Path, benchbook: Any) -> None:
    planted = shutil.copytree(PUBLISHED / SECOND, given / "foreign" / "lru" / SECOND)
    assert benchbook("compare", "lru", SECOND, "--json").exit_code == 1, "a run shares its blocks with itself"
    sealing.rewrite(planted, provenance=store.schema.read_record(planted)["provenance"] | {"cores": 7})
    for command in (("compare", "lru", SECOND), ("export", SECOND, "--out", str(given / "out")), ("verify", SECOND)):
        result = benchbook(*command)
        assert result.exit_code == 1
        assert f"there are two runs {SECOND}" in result.stderr


def test_a_foreign_run_is_marked_in_text_json_tables_and_figures(given: Path, benchbook: Any, theirs: Path) -> None:
    sealing.rewrite(
        theirs,
        provenance=store.schema.read_record(theirs)["provenance"] | {"processor": "X 9000", "machine_id": "a" * 16},
    )
    added = benchbook("add", str(pack(theirs)))
    assert added.exit_code == 0, added.stderr
    assert "(lru, foreign)" in added.stdout
    [row] = [line for line in benchbook("runs").stdout.splitlines() if line.startswith(FIRST)]
    assert "complete, foreign" in row
    listed = {each["run"]: each["origin"] for each in json.loads(benchbook("runs", "--json").stdout)}
    assert listed == {FIRST: "foreign", SECOND: "published"}
    assert f"{FIRST} (lru, foreign): whole" in benchbook("verify").stdout
    text = benchbook("compare", "lru", FIRST).stdout
    assert f"second  {FIRST}: foreign, " in text
    assert "second (foreign)" in text
    runs = json.loads(benchbook("compare", FIRST, "lru", "--json").stdout)["runs"]
    assert [each["origin"] for each in runs] == ["foreign", "published"]
    drawn = given / "forest.html"
    combined = benchbook("combine", "lru", "--number", "gain_zipf", "--forest", str(drawn), "--json")
    assert combined.exit_code == 0, combined.stderr
    marked = {name: each["foreign"] for name, each in json.loads(combined.stdout)["machines"].items()}
    [name] = [name for name, own in marked.items() if own]
    assert name.startswith("X 9000")
    assert name.endswith(", machine aaaaaa (foreign)")
    assert name in drawn.read_text()
    assert benchbook("export", FIRST, "--out", str(given / "out")).exit_code == 0
    described = json.loads((given / "out" / "datapackage.json").read_text())
    assert described["run"]["origin"] == "foreign"
    assert "foreign run" in described["title"]
    for table in ("trials.csv", "estimates.csv"):
        assert set(pd.read_csv(given / "out" / table)["origin"]) == {"foreign"}


def zipped(path: Path, change: Callable[[bytearray], None]) -> None:
    content = bytearray(path.read_bytes())
    change(content)
    path.write_bytes(bytes(content))


def encrypted(content: bytearray) -> None:
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(mark)
        while at >= 0:
            content[at + place] |= 1
            at = content.find(mark, at + 4)


def oddly(content: bytearray) -> None:
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = content.find(mark)
        while at >= 0:
            content[at + place] = 97
            at = content.find(mark, at + 4)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (encrypted, "it is encrypted"),
        (oddly, "compressed in another way"),
        (lambda content: content.__setitem__(slice(2_000, 2_400), b"\xff" * 400), "is no pack of a run"),
        (lambda content: content.__delitem__(slice(len(content) // 2, None)), "not whole"),
        (lambda content: content.extend(b"more"), "not whole"),
        (lambda content: content.clear(), "not whole"),
        (lambda content: content.__setitem__(slice(-12, -10), b"\xff\xff"), "it holds other files"),
        (lambda content: content.__setitem__(slice(-10, -6), b"\xff\xff\xff\x7f"), "is no pack of a run"),
    ],
    ids=["encrypted", "odd method", "corrupt", "half", "with an end", "empty", "65,535 names", "a list beyond its end"],
)
def test_an_archive_that_cannot_be_read_is_one_clear_error(
    given: Path, benchbook: Any, theirs: Path, change: Any, words: str
) -> None:
    path = pack(theirs)
    zipped(path, change)
    refused(benchbook, path, words)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused(given: Path, benchbook: Any, theirs: Path, method: int) -> None:
    refused(benchbook, pack(theirs, method=method), "compressed in another way")


@pytest.mark.parametrize("kind", ["pipe", "device", "link", "folder", "huge"])
def test_what_is_no_file_is_not_waited_for(given: Path, benchbook: Any, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.zip"
    {
        "pipe": lambda: os.mkfifo(path),
        "device": lambda: path.symlink_to("/dev/zero"),
        "link": lambda: path.symlink_to(tmp_path / "y.zip"),
        "folder": path.mkdir,
        "huge": lambda: (path.touch(), os.truncate(path, 2**40)),
    }[kind]()
    refused(benchbook, path, "no pack of a run")
    if kind == "device":
        refused(benchbook, Path("/dev/zero"), "a device")


def rows(count: int) -> Callable[[Path], None]:
    """Samples without end that take a few MB as a file."""

    def write(folder: Path) -> None:
        table = pa.table(
            {
                "trial": pa.array(np.zeros(count, np.int32)),
                "series": pa.array(["get"] * 1).take(pa.array(np.zeros(count, np.int32))).dictionary_encode(),
                "latency_ns": pa.array(np.full(count, 5, np.int32)),
            }
        )
        pq.write_table(table, folder / schema.SAMPLES, compression="zstd")
        sealing.reseal(folder)

    return write


def stuffed(folder: Path) -> None:
    """A table whose dictionary holds 480 MB that no row uses, in some kB."""
    texts = pa.array([f"{number:05}{'x' * 9_600}" for number in range(50_000)])
    table = pq.read_table(folder / schema.TRIALS)
    codes = pa.DictionaryArray.from_arrays(pa.array(np.zeros(len(table), np.int32)), texts)
    pq.write_table(
        table.append_column("stuffed", codes), folder / schema.TRIALS, compression="zstd",
        dictionary_pagesize_limit=2**31 - 1,
    )  # fmt: skip
    sealing.reseal(folder)


def parameters(folder: Path, **more: Any) -> None:
    sealing.rewrite(folder, parameters=store.schema.read_record(folder)["parameters"] | more)


def relabelled(folder: Path) -> None:
    change(folder, schema.TRIALS, lambda table: table.assign(engine="\x1b]0;pwned\x07"))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda folder: parameters(folder, warp=9), "unknown parameter 'warp'"),
        (lambda folder: parameters(folder, blocks=10_000), "its parameters are none of lru"),
        (lambda folder: parameters(folder, zipf_exponent=0.8), "its key is"),
        (lambda folder: sealing.rewrite(folder, **{"x\x1b[31m": 1}), "x\\x1b[31m"),
        (lambda folder: sealing.rewrite(folder, measurement_version=99), "of version 99 of its measurement"),
        (lambda folder: sealing.rewrite(folder, blocks=999), "is refused"),
        (rows(15_000_000), "more than a run that is passed on may have"),
        (lambda folder: change(folder, schema.TRIALS, lambda t: pd.concat([t] * 50)), "its plan has"),
        (relabelled, "has the text"),
        (lambda folder: change(folder, schema.TRIALS, lambda t: t.assign(engine="x" * 20_000)), "a text of 20,000"),
        (lambda folder: change(folder, schema.TRIALS, lambda t: t.assign(kept_p50_ns=1.0)), "is refused"),
        (lambda folder: change(folder, schema.TRIALS, lambda t: t.assign(nested=[[1]] * len(t))), "no column of"),
        (stuffed, "bytes, more than a run that is passed on may have"),
    ],
    ids=["unknown parameter", "bound", "another key", "escape in a field", "version", "blocks", "endless samples",
         "more trials", "escape in a label", "long label", "metrics", "nested", "stuffed"],
)  # fmt: skip
def test_what_would_stop_or_mislead_later_is_refused_when_it_is_added(
    given: Path, benchbook: Any, theirs: Path, spoil: Any, words: str
) -> None:
    spoil(theirs)
    path = pack(theirs)
    refused(benchbook, path, words)
    assert str(path) in benchbook("add", str(path)).stderr


def test_what_came_in_before_is_listed_by_combine_and_stops_nothing(given: Path, benchbook: Any, theirs: Path) -> None:
    sealing.publish_copy(PUBLISHED / FIRST, given)
    for identity, spoil in (
        ("a", lambda folder: parameters(folder, warp=9)),
        ("b", lambda folder: (folder / schema.SAMPLES).write_bytes(b"no")),
        ("c", lambda folder: sealing.rewrite(folder, measurement_version=99)),
        ("d", lambda folder: parameters(folder, zipf_exponent=0.5)),
    ):
        made = called(theirs, identity)
        spoil(made)
        shutil.copytree(made, given / "foreign" / "lru" / identity)
    result = benchbook("combine", "lru")
    assert result.exit_code == 1, "one machine alone"
    for words in (
        "left out a: warp=9",
        "left out b: foreign",
        "left out c: foreign: of version 99",
        "left out d: zipf",
    ):
        assert words in result.stderr


def test_equal_tables_under_several_machines_count_once(given: Path, benchbook: Any, theirs: Path) -> None:
    sealing.publish_copy(PUBLISHED / FIRST, given)
    for letter in "bcd":
        made = called(theirs, letter)
        origin = store.schema.read_record(made)["provenance"]
        sealing.rewrite(made, provenance=origin | {"machine_id": letter * 16})
        shutil.copytree(made, given / "foreign" / "lru" / letter)
        if letter == "c":  # written anew, so that its file differs and its numbers do not
            change(given / "foreign" / "lru" / letter, schema.TRIALS, lambda table: table.iloc[:, ::-1])
    result = benchbook("combine", "lru")
    assert result.exit_code == 1
    assert "no number on two machines" in result.stderr
    for letter in "bcd":
        assert f"left out {letter}: its trials are those of run {FIRST}" in result.stderr


def test_only_equal_parameters_are_combined_and_p_asks_for_others(given: Path, benchbook: Any, theirs: Path) -> None:
    origin = store.schema.read_record(theirs)["provenance"]
    for letter, longer in (("b", 1.0), ("c", 2.0)):
        made = called(theirs, letter)
        parameters(made, zipf_exponent=0.8)
        sealing.rewrite(made, provenance=origin | {"machine_id": letter * 16})
        change(made, schema.TRIALS, lambda table, by=longer: table.assign(duration_s=table["duration_s"] + by))
        shutil.copytree(made, given / "foreign" / "lru" / letter)
    usual = benchbook("combine", "lru", "--json")
    assert usual.exit_code == 1
    assert "left out b: zipf_exponent=0.8 instead of 0.99" in usual.stderr
    asked = benchbook("combine", "lru", "--json", "-p", "zipf_exponent=0.8")
    assert asked.exit_code == 0, asked.stderr
    found = json.loads(asked.stdout)
    assert len(found["machines"]) == 2
    assert list(found["left_out"]) == [SECOND]
    assert benchbook("combine", "lru", "-p", "warp=1").exit_code == 1


@pytest.mark.parametrize("command", ["combine", "compare"])
def test_a_signal_ends_it_at_once(given: Path, theirs: Path, command: str) -> None:
    rows(9_000_000)(theirs)
    shutil.copytree(theirs, given / "foreign" / "lru" / FIRST)
    arguments = {"combine": ["lru"], "compare": ["lru", FIRST]}[command]
    process = subprocess.Popen(
        [sys.executable, "-m", "benchbook", command, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ},
    )  # fmt: skip
    maps = Path("/proc", str(process.pid), "maps")
    while process.poll() is None and "parquet" not in maps.read_text():
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    _, said = process.communicate(timeout=60)
    assert process.returncode == 143, said
    assert said.splitlines()[-1] == "stopped"
    assert "Traceback" not in said
    assert time.monotonic() - began < 15


def name_of(folder: Path, identity: str, **more: Any) -> Path:
    made = called(folder, identity)
    sealing.rewrite(made, **more)
    return made


def test_an_id_is_one_that_a_run_is_given(given: Path, benchbook: Any, theirs: Path) -> None:
    key = FIRST.partition("-")[0]
    for identity in (key, f"{key}-x", f"{key}-20261126T084926x", f"{'0' * 12}-20261126T084926"):
        refused(benchbook, pack(name_of(theirs, identity)), "its id is none that a run is given")


def test_a_folder_of_foreign_runs_that_is_a_link_takes_nothing_in(given: Path, benchbook: Any, theirs: Path) -> None:
    path = pack(theirs)
    (given / "foreign").mkdir()
    (given / "foreign" / "lru").symlink_to(given / "data" / "published" / "lru")
    assert "is a link" in benchbook("add", str(path)).stderr
    assert [each.name for each in (given / "data/published/lru").iterdir()] == [SECOND]
    assert not foreign.entries()
    shutil.rmtree(given / "foreign")
    (given / "foreign").symlink_to(given / "runs")
    assert "is a link" in benchbook("add", str(path)).stderr


def test_a_name_that_is_no_name_is_refused(given: Path, benchbook: Any, theirs: Path) -> None:
    for number, names in enumerate((["lru/é/", "lru/é/", "lru/é/"], ["lru/x\\y/"] * 3, ["lru/../"] * 3, ["C:/x/"] * 3)):
        out = theirs.parent / f"{number}.zip"
        with zipfile.ZipFile(out, "w") as archive:
            for name, each in zip(names, packs.FILES, strict=True):
                archive.writestr(f"{name}{each}", (theirs / each).read_bytes())
        refused(benchbook, out, "it holds other files")
