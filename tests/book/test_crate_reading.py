"""A crate is checked file by file and run by run, by the package alone; whatever was done to it is named or refused."""

import json
import shutil
import stat
import zipfile
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from benchbook import project
from benchbook.book.crate import contents, reading
from benchbook.cli.commands import app
from benchbook.errors import BenchbookError
from benchbook.store import atomic, schema, seals

METADATA, EDITION = "ro-crate-metadata.json", "data/editions/2026.1/edition.json"
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


def verified(path: Path, *runs: str) -> Any:
    return CliRunner().invoke(app, ["verify", *runs, "--crate", str(path)], prog_name="benchbook")


@pytest.fixture
def altered(crate: Path, tmp_path: Path, elsewhere: Path) -> Callable[[Change], Path]:
    """Makes a crate with other content, on such a machine."""

    def make(change: Change) -> Path:
        with zipfile.ZipFile(crate) as archive:
            content = {name: archive.read(name) for name in archive.namelist()}
        change(content)
        out = tmp_path / "a.zip"
        with zipfile.ZipFile(out, "w") as archive:
            for name, data in content.items():
                archive.writestr(name, data)
        return out

    return make


def entities(content: dict[str, bytes]) -> dict[str, Any]:
    """What the metadata describe, by id."""
    return {each["@id"]: each for each in json.loads(content[METADATA])["@graph"]}


def describe(content: dict[str, bytes], described: dict[str, Any]) -> None:
    content[METADATA] = json.dumps({"@graph": [*described.values()]}).encode()


def reseal(content: dict[str, bytes], path: str, data: bytes) -> None:
    """Change a file and what the metadata says of it: what somebody does who knows of the hashes there."""
    content[path] = data
    described = entities(content)
    described[path] |= {"sha256": sha256(data).hexdigest(), "contentSize": str(len(data))}
    describe(content, described)


def edit_edition(content: dict[str, bytes], **changes: Any) -> None:
    reseal(content, EDITION, json.dumps(json.loads(content[EDITION]) | changes).encode())


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


def add_to(path: str) -> Change:
    def change(content: dict[str, bytes]) -> None:
        content[path] += b" "

    return change


def add_to_run_and_metadata(name: str) -> Change:
    def change(content: dict[str, bytes]) -> None:
        path = file_of(content, "calibration", name)
        reseal(content, path, content[path] + b" ")

    return change


def rewrite_with_metadata(content: dict[str, bytes]) -> None:
    reseal(content, "notebooks/cost.ipynb", b"{}")
    reseal(content, "figures/fig-hot.csv", b"arm\n")


def lose_ledgers(content: dict[str, bytes]) -> None:
    for path in [each for each in content if each.startswith("data/ledgers/")]:
        del content[path]


def lose_and_add(content: dict[str, bytes]) -> None:
    del content[file_of(content, "calibration", "trials.parquet")]
    content["data/more.csv"] = b"x\n"


def say_less(content: dict[str, bytes]) -> None:
    """No run is an action, and a file has no hash."""
    kept = {name: each for name, each in entities(content).items() if each["@type"] != "CreateAction"}
    del kept["NOTICE"]["sha256"]
    describe(content, kept)


ALTERED = ("LICENSE", "notebooks/hot_cold_keys.ipynb", "figures/fig-hot.csv", "data/editions/2026.1/figures.json")
RUN_FILES = ("run.json", "trials.parquet", "samples.parquet")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        *((add_to(path), (f"  {path} was altered: SHA-256 ",)) for path in ALTERED),
        *((add_to_run_and_metadata(name), (f"/{name} was altered: SHA-256 ",)) for name in RUN_FILES),
        (
            rewrite_with_metadata,
            ("cost.ipynb is not here as it was frozen", "fig-hot.csv is not what the record of the figure fig-hot"),
        ),
        (
            lambda content: reseal(content, contents.SUMS, b"0" + content[contents.SUMS][1:]),
            ("SHA256SUMS does not list what the edition has",),
        ),
        (lose_ledgers, (".csv is missing (SHA-256", "planned against a ledger that was never committed here")),
        (lose_and_add, ("trials.parquet is missing (SHA-256 ", f"  data/more.csv is not described in {METADATA}")),
        (say_less, ("does not say that the run", "NOTICE has no SHA-256")),
    ],
)
def test_what_was_done_to_a_crate_is_named(altered: Any, change: Change, said: tuple[str, ...]) -> None:
    result = verified(altered(change))
    assert result.exit_code == 6
    for words in said:
        assert words in result.stdout
    told = result.stderr.splitlines()  # before it, what of killed runs of others was put back
    assert told[-2].endswith("is not complete; the problems are listed above")
    assert told[-1].startswith("fix: ")


def plan(content: dict[str, bytes], told: dict[str, Any], **run: Any) -> None:
    """Let the edition name another record of a run, with all hashes."""
    record, experiment = atomic.json_text(told).encode(), told["experiment"]
    reseal(content, file_of(content, experiment, "run.json"), record)
    edition = json.loads(content[EDITION])
    (own,) = (each for each in edition["runs"] if each["experiment"] == experiment)
    own |= {"record_sha256": sha256(record).hexdigest(), **run}
    edit_edition(content, runs=edition["runs"])
    reseal(content, contents.SUMS, contents.listed(edition).encode())


def test_samples_altered_with_every_hash_are_found_by_recomputing(altered: Any) -> None:
    def change(content: dict[str, bytes]) -> None:
        path = file_of(content, "hot_cold_keys", "samples.parquet")
        table = pq.read_table(BytesIO(content[path]))
        place = table.schema.get_field_index("latency_ns")
        halved = np.maximum(table["latency_ns"].to_numpy() // 2, 1).astype("int32")
        written = BytesIO()
        pq.write_table(table.set_column(place, "latency_ns", [halved]), written)
        data = written.getvalue()
        reseal(content, path, data)
        told = json.loads(content[file_of(content, "hot_cold_keys", "run.json")])
        told["files"]["samples.parquet"] = {"sha256": sha256(data).hexdigest(), "bytes": len(data)}
        hashes = {name: each["sha256"] for name, each in told["files"].items()}
        plan(content, seals.sealed(told), files=hashes)

    result = verified(altered(change))
    assert result.exit_code == 6
    assert "its samples give" in result.stdout
    assert "was altered" not in result.stdout, "the hashes agree with each other"


def test_a_crate_made_before_runs_were_listed_passes(altered: Any) -> None:
    def forget(content: dict[str, bytes]) -> None:
        del content[contents.SUMS]
        describe(content, {name: each for name, each in entities(content).items() if name != contents.SUMS})

    result = verified(altered(forget))
    assert result.exit_code == 0, result.output
    assert result.stdout.count("whole (") == 2


@pytest.mark.parametrize(
    ("more", "code", "said"), [({}, 0, "2 runs, 3 figures"), ({"seed": 1}, 6, "its seal is not that of its content")]
)
def test_the_seal_of_a_run_of_today_s_schema_is_looked_at(
    altered: Any, more: dict[str, Any], code: int, said: str
) -> None:
    def change(content: dict[str, bytes]) -> None:
        record = json.loads(content[file_of(content, "calibration", "run.json")])
        plan(content, seals.sealed(record | {"first_block": 0, "schema": schema.SCHEMA}) | more)

    result = verified(altered(change))
    assert result.exit_code == code, result.output
    assert said in result.stdout


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
    altered: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def extract(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("nothing may be written")

    path = altered(lambda content: content.update({name: b"x"}))
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


def lead_out(content: dict[str, bytes]) -> None:
    runs = json.loads(content[EDITION])["runs"]
    edit_edition(content, runs=[runs[0] | {"experiment": "../../../../etc"}, *runs[1:]])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda content: content.pop(METADATA), "so it is not an RO-Crate"),
        (lambda content: content.update({METADATA: b"{"}), "cannot be read"),
        (lambda content: content.update({METADATA: b"[]"}), "cannot be read"),
        (lambda content: content.update({METADATA: b'{"@graph": [1]}'}), "has no list of entities"),
        (lambda content: content.pop(EDITION), "has 0 editions"),
        (lambda content: content.update({"data/editions/x/edition.json": b"{}"}), "has 2 editions"),
        (lambda content: content.update({EDITION: b"{}"}), "is damaged"),
        (lambda content: content.update({"LICENSE/inside": b""}), "is not a complete zip file"),
        (lead_out, "is damaged: runs.0.experiment"),
    ],
)
def test_what_is_not_the_crate_of_an_edition_is_refused(altered: Any, change: Change, words: str) -> None:
    refused(altered(change), words)


def test_runs_and_a_crate_are_not_asked_for_together(crate: Path, elsewhere: Path) -> None:
    result = verified(crate, "abc")
    assert result.exit_code == 2
    assert "not both" in result.output


def test_a_bit_that_flips_anywhere_is_noticed_or_changes_nothing(crate: Path, tmp_path: Path) -> None:
    whole = crate.read_bytes()
    generator = np.random.default_rng(7)
    places = {*range(8), *range(len(whole) - 12, len(whole)), *generator.integers(0, len(whole), 20).tolist()}
    with zipfile.ZipFile(crate) as archive:
        expected = {name: archive.read(name) for name in archive.namelist()}
    noticed, path = 0, tmp_path / "damaged.zip"
    for place in sorted(places):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(generator.integers(8))
        path.write_bytes(damaged)
        try:
            with reading.unpacked(path) as content:
                present = [each for each in content.folder.rglob("*") if each.is_file()]
                found = {each.relative_to(content.folder).as_posix(): each.read_bytes() for each in present}
                noticed += bool(content.problems)
                assert content.problems or found == expected, place
        except BenchbookError:
            noticed += 1
    assert noticed > len(places) / 2
