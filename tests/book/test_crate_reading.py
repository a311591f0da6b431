"""A crate is checked file by file and run by run, by the package alone; whatever was done to it is named or refused."""

from __future__ import annotations

import json
import shutil
import stat
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from benchbook import project
from benchbook.book.crate import contents, reading, writing
from benchbook.book.records import editions
from benchbook.cli.commands import app
from benchbook.errors import BenchbookError
from benchbook.store import atomic, schema, seals

METADATA = "ro-crate-metadata.json"
Change = Callable[[dict[str, bytes]], None]


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that has the package and no clone of the project."""

    def absent() -> NoReturn:
        raise BenchbookError("no Benchbook folder found", "run this inside a clone")

    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.delenv("BENCHBOOK_HOME", raising=False)
    monkeypatch.setattr(project, "root", absent)
    return tmp_path / "elsewhere"


def verified(path: Path) -> Any:
    return CliRunner().invoke(app, ["verify", "--crate", str(path)], prog_name="benchbook")


def changed(crate: Path, out: Path, change: Change) -> Path:
    """The crate with other content."""
    with zipfile.ZipFile(crate) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    change(content)
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return out


def reseal(content: dict[str, bytes], path: str, data: bytes) -> None:
    """Change a file and what the metadata says of it: what somebody does who knows of the hashes there."""
    content[path] = data
    metadata = json.loads(content[METADATA])
    (entity,) = (each for each in metadata["@graph"] if each["@id"] == path)
    entity |= {"sha256": sha256(data).hexdigest(), "contentSize": str(len(data))}
    content[METADATA] = json.dumps(metadata).encode()


def edit(content: dict[str, bytes], path: str, **changes: Any) -> None:
    reseal(content, path, json.dumps(json.loads(content[path]) | changes).encode())


def file_of(content: dict[str, bytes], experiment: str, name: str) -> str:
    (path,) = (each for each in content if each.startswith(f"data/published/{experiment}/") and each.endswith(name))
    return path


def test_a_whole_crate_passes_where_there_is_only_the_package(crate: Path, elsewhere: Path) -> None:
    result = verified(crate)
    assert result.exit_code == 0, result.output
    assert "edition 2026.1 of" in result.stdout
    assert sha256(crate.read_bytes()).hexdigest() in result.stdout
    assert result.stdout.count("whole (") == 2
    assert "samples, every metric recomputed" in result.stdout
    assert "complete: " in result.stdout.splitlines()[-1]
    assert "2 runs, 3 figures" in result.stdout.splitlines()[-1]
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize(
    "path",
    [
        "LICENSE",
        "data/claims.csv",
        "notebooks/hot_cold_keys.ipynb",
        "data/notes/documents.csv",
        "figures/fig-hot.csv",
        "data/editions/2026.1/figures.json",
    ],
)
def test_an_altered_file_is_named(crate: Path, tmp_path: Path, elsewhere: Path, path: str) -> None:
    def change(content: dict[str, bytes]) -> None:
        content[path] += b" "

    result = verified(changed(crate, tmp_path / "a.zip", change))
    assert result.exit_code == 6
    assert f"  {path} was altered: SHA-256 " in result.stdout
    told = result.stderr.splitlines()  # before it, what of killed runs of others was put back
    assert told[-2].endswith("is not complete; the problems are listed above")
    assert told[-1].startswith("fix: ")


@pytest.mark.parametrize("name", ["run.json", "trials.parquet", "samples.parquet"])
def test_a_run_altered_with_the_metadata_is_found_by_the_edition(
    crate: Path, tmp_path: Path, elsewhere: Path, name: str
) -> None:
    def change(content: dict[str, bytes]) -> None:
        path = file_of(content, "calibration", name)
        reseal(content, path, content[path] + b" ")

    result = verified(changed(crate, tmp_path / "a.zip", change))
    assert result.exit_code == 6
    assert f"/{name} was altered: SHA-256 " in result.stdout


def test_a_file_altered_with_the_metadata_is_found_by_the_edition(crate: Path, tmp_path: Path, elsewhere: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        reseal(content, "notebooks/cost.ipynb", b"{}")
        reseal(content, "figures/fig-hot.csv", b"arm\n")

    result = verified(changed(crate, tmp_path / "a.zip", change))
    assert result.exit_code == 6
    assert "notebooks/cost.ipynb is not here as it was frozen" in result.stdout
    assert "figures/fig-hot.csv is not what the record of the figure fig-hot gives" in result.stdout


def test_samples_altered_with_every_hash_are_found_by_recomputing(crate: Path, tmp_path: Path, elsewhere: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        path = file_of(content, "hot_cold_keys", "samples.parquet")
        (tmp_path / "samples.parquet").write_bytes(content[path])
        table = pq.read_table(tmp_path / "samples.parquet")
        place = table.schema.get_field_index("latency_ns")
        halved = np.maximum(table["latency_ns"].to_numpy() // 2, 1).astype("int32")
        pq.write_table(table.set_column(place, "latency_ns", [halved]), tmp_path / "samples.parquet")
        data = (tmp_path / "samples.parquet").read_bytes()
        reseal(content, path, data)
        record = file_of(content, "hot_cold_keys", "run.json")
        told = json.loads(content[record])
        told["files"]["samples.parquet"] = {"sha256": sha256(data).hexdigest(), "bytes": len(data)}
        reseal(content, record, atomic.json_text(seals.sealed(told)).encode())
        runs = json.loads(content["data/editions/2026.1/edition.json"])["runs"]
        for run in runs:
            if run["experiment"] == "hot_cold_keys":
                run["files"]["samples.parquet"] = sha256(data).hexdigest()
                run["record_sha256"] = sha256(content[record]).hexdigest()
        edit(content, "data/editions/2026.1/edition.json", runs=runs)

    result = verified(changed(crate, tmp_path / "a.zip", change))
    assert result.exit_code == 6
    assert "its samples give" in result.stdout
    assert "was altered" not in result.stdout, "the hashes agree with each other"


def forget(content: dict[str, bytes], path: str) -> None:
    """A crate that never had a file."""
    del content[path]
    metadata = json.loads(content[METADATA])
    metadata["@graph"] = [each for each in metadata["@graph"] if each["@id"] != path]
    content[METADATA] = json.dumps(metadata).encode()


def test_a_crate_made_before_runs_were_listed_passes(crate: Path, tmp_path: Path, elsewhere: Path) -> None:
    result = verified(changed(crate, tmp_path / "a.zip", lambda content: forget(content, contents.SUMS)))
    assert result.exit_code == 0, result.output
    assert result.stdout.count("whole (") == 2


def test_a_crate_with_a_run_of_today_s_schema_passes_and_its_seal_is_looked_at(
    crate: Path, tmp_path: Path, elsewhere: Path
) -> None:
    def with_record(content: dict[str, bytes], text: str) -> None:
        path = file_of(content, "calibration", "run.json")
        reseal(content, path, text.encode())
        edition = json.loads(content["data/editions/2026.1/edition.json"])
        for run in edition["runs"]:
            if run["experiment"] == "calibration":
                run["record_sha256"] = sha256(content[path]).hexdigest()
        edit(content, "data/editions/2026.1/edition.json", runs=edition["runs"])
        reseal(content, contents.SUMS, contents.listed(edition).encode())

    def of_today(content: dict[str, bytes]) -> dict[str, Any]:
        record = json.loads(content[file_of(content, "calibration", "run.json")])
        return seals.sealed(record | {"first_block": 0, "schema": schema.SCHEMA})

    sealed = changed(crate, tmp_path / "a.zip", lambda c: with_record(c, atomic.json_text(of_today(c))))
    result = verified(sealed)
    assert result.exit_code == 0, result.output
    edited = changed(crate, tmp_path / "b.zip", lambda c: with_record(c, atomic.json_text(of_today(c) | {"seed": 1})))
    result = verified(edited)
    assert result.exit_code == 6
    assert "its seal is not that of its content" in result.stdout


def test_a_list_that_was_altered_with_the_metadata_is_named(crate: Path, tmp_path: Path, elsewhere: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        reseal(content, contents.SUMS, b"0" + content[contents.SUMS][1:])

    result = verified(changed(crate, tmp_path / "a.zip", change))
    assert result.exit_code == 6
    assert "SHA256SUMS does not list what the edition has" in result.stdout


def test_a_run_planned_against_another_ledger_is_named(crate: Path, tmp_path: Path, elsewhere: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        for path in [each for each in content if each.startswith("data/ledgers/")]:
            del content[path]

    result = verified(changed(crate, tmp_path / "a.zip", change))
    assert result.exit_code == 6
    assert ".csv is missing (SHA-256" in result.stdout
    assert "planned against a ledger that was never committed here" in result.stdout


def test_what_is_missing_and_what_was_added_is_named(crate: Path, tmp_path: Path, elsewhere: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        del content[file_of(content, "calibration", "trials.parquet")]
        content["data/more.csv"] = b"x\n"

    result = verified(changed(crate, tmp_path / "a.zip", change))
    assert result.exit_code == 6
    assert "trials.parquet is missing (SHA-256 " in result.stdout
    assert "  data/more.csv is not described in ro-crate-metadata.json" in result.stdout


def test_a_run_that_is_no_action_and_a_file_without_hash_are_named(
    crate: Path, tmp_path: Path, elsewhere: Path
) -> None:
    def change(content: dict[str, bytes]) -> None:
        metadata = json.loads(content[METADATA])
        kept = [each for each in metadata["@graph"] if each["@type"] != "CreateAction"]
        for each in kept:
            if each["@id"] == "NOTICE":
                del each["sha256"]
        content[METADATA] = json.dumps(metadata | {"@graph": kept}).encode()

    result = verified(changed(crate, tmp_path / "a.zip", change))
    assert result.exit_code == 6
    assert "does not say that the run" in result.stdout
    assert "NOTICE has no SHA-256" in result.stdout


def refused(path: Path, words: str) -> None:
    """Two short lines, no traceback, nothing checked."""
    result = verified(path)
    assert result.exit_code in (1, 6), result.output
    problem, mend = result.stderr.strip().splitlines()
    assert words in problem
    assert mend.startswith("fix: ")


def test_there_must_be_a_file_and_it_must_be_a_zip(tmp_path: Path, elsewhere: Path) -> None:
    refused(tmp_path / "absent.zip", "there is no file")
    refused(tmp_path, "there is no file")
    (tmp_path / "a.zip").write_text("no zip at all")
    refused(tmp_path / "a.zip", "is not a complete zip file")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_zip_is_refused(crate: Path, tmp_path: Path, elsewhere: Path, share: float) -> None:
    whole = crate.read_bytes()
    (tmp_path / "a.zip").write_bytes(whole[: int(share * len(whole))])
    refused(tmp_path / "a.zip", "is not a complete zip file")


@pytest.mark.parametrize("name", ["../up.txt", "/abs.txt", "a/../../up.txt", "c:/x.txt", "a\\..\\..\\up.txt"])
def test_a_zip_that_climbs_out_of_its_folder_is_refused_before_anything_is_written(
    crate: Path, tmp_path: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def extract(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("nothing may be written")

    path = changed(crate, tmp_path / "a.zip", lambda content: content.update({name: b"x"}))
    monkeypatch.setattr(zipfile.ZipFile, "extractall", extract)
    refused(path, "would write outside its folder")
    assert not (tmp_path / "up.txt").exists()


def test_a_link_a_double_and_a_bomb_are_refused(
    crate: Path, tmp_path: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = zipfile.ZipInfo("data/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    shutil.copy(crate, tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.zip", "a") as archive:
        archive.writestr(link, "/etc/passwd")
    refused(tmp_path / "a.zip", "has a link")
    shutil.copy(crate, tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip", "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("LICENSE", "mine")
    refused(tmp_path / "b.zip", "has 'LICENSE' twice")
    monkeypatch.setattr(reading, "LARGEST_BYTES", 1000)
    refused(crate, "more than any crate may have")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda content: content.pop(METADATA), "so it is not an RO-Crate"),
        (lambda content: content.update({METADATA: b"{"}), "cannot be read"),
        (lambda content: content.update({METADATA: b"[]"}), "cannot be read"),
        (lambda content: content.update({METADATA: b'{"@graph": [1]}'}), "has no list of entities"),
        (lambda content: content.pop("data/editions/2026.1/edition.json"), "has 0 editions"),
        (lambda content: content.update({"data/editions/x/edition.json": b"{}"}), "has 2 editions"),
        (lambda content: content.update({"data/editions/2026.1/edition.json": b"{}"}), "is damaged"),
        (lambda content: content.update({"LICENSE/inside": b""}), "is not a complete zip file"),
    ],
)
def test_what_is_not_the_crate_of_an_edition_is_refused(
    crate: Path, tmp_path: Path, elsewhere: Path, change: Change, words: str
) -> None:
    refused(changed(crate, tmp_path / "a.zip", change), words)


def test_a_record_that_leads_out_of_the_crate_is_refused(crate: Path, tmp_path: Path, elsewhere: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        runs = json.loads(content["data/editions/2026.1/edition.json"])["runs"]
        runs[0]["experiment"] = "../../../../etc"
        edit(content, "data/editions/2026.1/edition.json", runs=runs)

    refused(changed(crate, tmp_path / "a.zip", change), "is damaged: runs.0.experiment")


def test_runs_and_a_crate_are_not_asked_for_together(crate: Path, elsewhere: Path) -> None:
    result = CliRunner().invoke(app, ["verify", "abc", "--crate", str(crate)], prog_name="benchbook")
    assert result.exit_code == 2
    assert "not both" in result.output


@pytest.fixture(scope="module")
def small(frozen: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crate of the smaller run alone, to be damaged many times."""
    records = frozen / "book" / "chapters" / "figures.json"
    before = records.read_text()
    records.write_text(json.dumps([each for each in json.loads(before) if each["id"] == "fig-cal"]))
    path = tmp_path_factory.mktemp("small") / "small.zip"
    try:
        folder = editions.create(frozen, "small")
        writing.write(frozen, "small", path)
    finally:
        records.write_text(before)
    shutil.rmtree(folder)
    return path


def test_a_bit_that_flips_anywhere_is_noticed_or_changes_nothing(small: Path, tmp_path: Path) -> None:
    whole = small.read_bytes()
    generator = np.random.default_rng(7)
    places = {*range(12), *range(len(whole) - 40, len(whole)), *generator.integers(0, len(whole), 60).tolist()}
    with zipfile.ZipFile(small) as archive:
        expected = {name: archive.read(name) for name in archive.namelist()}
    noticed = 0
    for place in sorted(places):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(generator.integers(8))
        path = tmp_path / "damaged.zip"
        path.write_bytes(damaged)
        try:
            with reading.unpacked(path) as content:
                found = {
                    each.relative_to(content.folder).as_posix(): each.read_bytes()
                    for each in content.folder.rglob("*")
                    if each.is_file()
                }
                noticed += bool(content.problems)
                assert content.problems or found == expected, place
        except BenchbookError:
            noticed += 1
    assert noticed > len(places) / 2
