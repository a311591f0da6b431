"""A complete run carries its seal, a published one its lines in SHA256SUMS; what has neither is refused."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import sealing
from test_atomic import PowerCut, cut

from benchbook import project, store
from benchbook.errors import StoredRunError
from benchbook.store import RunWriter, catalogue, publish, read_run, schema, seals, sums, writing


def of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / schema.RUN).read_text())


def of_schema_1(folder: Path) -> None:
    """Let a run be as it was written before runs were sealed."""
    record = {name: value for name, value in of(folder).items() if name != seals.SEAL}
    sealing.atomic.write_json(folder / schema.RUN, record | {"schema": 1})


def whole(folder: Path, *, published: bool = False) -> bool:
    try:
        schema.read_record(folder, published=published)
    except StoredRunError:
        return False
    return True


# the seal


def test_a_complete_run_is_sealed_over_every_other_field(make_run: Any) -> None:
    text = (make_run() / schema.RUN).read_text()
    seal = json.loads(text)["seal"]
    without = text.replace(f',\n "seal": "{seal}"', "")
    assert list(json.loads(text))[-1] == "seal"
    assert seal not in without
    assert sha256(without.encode()).hexdigest() == seal


def test_an_unfinished_run_has_no_seal_yet(new_writer: Any) -> None:
    folder = new_writer().folder
    assert "seal" not in of(folder)
    assert schema.read_record(folder)["state"] == "measuring"
    sealing.atomic.write_json(folder / schema.RUN, of(folder) | {"seal": "0" * 64})
    assert not whole(folder)


def test_an_unfinished_run_of_schema_1_is_completed_as_one_of_today_s(new_writer: Any, make_trial: Any) -> None:
    writer = new_writer()
    for index in range(4):
        writer.append(make_trial(index), 0)
    writer.close()
    of_schema_1(writer.folder)
    folder = RunWriter.resume(writer.folder).finish(sealing.PROVENANCE)
    assert of(folder)["schema"] == schema.SCHEMA == 3
    assert len(read_run(folder, published=False).trials) == 4


def test_a_complete_run_of_schema_1_of_this_machine_is_not_sealed_and_says_what_to_do(make_run: Any) -> None:
    folder = make_run()
    of_schema_1(folder)
    with pytest.raises(StoredRunError, match="is not sealed: it was measured before runs were sealed") as caught:
        read_run(folder, published=False)
    assert "measure it again" in caught.value.mend
    assert "git checkout" in caught.value.mend
    (entry,) = catalogue()
    assert entry.record is None


def test_a_published_run_of_schema_1_is_sealed_by_being_listed(make_run: Any, home: Path) -> None:
    folder = publish(make_run().name)
    of_schema_1(folder)
    assert not whole(folder, published=True)
    sealing.list_published(home)
    assert read_run(folder, published=True).published
    assert schema.read_record(folder, published=True)["schema"] == schema.SCHEMA


def test_a_clock_that_was_set_back_does_not_make_a_run_that_ends_before_it_begins(
    new_writer: Any, make_trial: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = new_writer()
    writer.append(make_trial(0), 0)

    class Clock:
        @staticmethod
        def now(zone: Any) -> datetime:
            return datetime(2020, 1, 1, tzinfo=UTC)

    monkeypatch.setattr(writing, "datetime", Clock)
    record = schema.read_record(writer.finish(sealing.PROVENANCE))
    assert record["finished_at"] == record["started_at"]


@pytest.mark.parametrize("lacking", sorted(sealing.PROVENANCE))
def test_a_run_that_does_not_say_where_it_is_from_is_neither_completed_nor_read(
    new_writer: Any, make_trial: Any, make_run: Any, lacking: str
) -> None:
    writer = new_writer()
    writer.append(make_trial(0), 0)
    provenance = {name: value for name, value in sealing.PROVENANCE.items() if name != lacking}
    with pytest.raises(StoredRunError, match=f"cannot be completed: provenance.{lacking}") as caught:
        writer.finish(provenance)
    assert "every trial is stored" in caught.value.mend
    writer.close()
    assert RunWriter.resume(writer.folder).done == {0}
    folder = make_run()
    sealing.rewrite(folder, provenance=provenance)
    with pytest.raises(StoredRunError, match=lacking):
        schema.read_record(folder)


def test_an_experiment_that_has_neither_notebook_nor_module_is_unknown(make_run: Any, home: Path) -> None:
    folder = make_run()
    (home / "notebooks" / "made_up.ipynb").unlink()
    with pytest.raises(StoredRunError, match="there is no experiment 'made_up'"):
        schema.read_record(folder)


# SHA256SUMS


def test_a_published_run_is_listed_as_sha256sum_reads_it(make_run: Any) -> None:
    first, second = make_run(key="bbbb00000000"), make_run(key="aaaa00000000")
    publish(first.name)
    before = (project.published() / sums.FILE).read_text()
    publish(second.name)
    text = (project.published() / sums.FILE).read_text()
    assert set(before.splitlines()) < set(text.splitlines())
    names = [line[66:] for line in text.splitlines()]
    assert names == sorted(names)
    assert len(names) == 6
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "--quiet", sums.FILE], cwd=project.published(), capture_output=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize(
    "content",
    [b"\n", b"x", b"0" * 64 + b" a/b/c\n", b"0" * 64 + b"  a/b\n", b"0" * 64 + b"  a/b/c", b"\xff\n",
     (b"0" * 64 + b"  a/b/c\n") * 2, b"0" * 64 + b"  a/b/d\n" + b"0" * 64 + b"  a/b/c\n"],
)  # fmt: skip
def test_a_damaged_list_is_refused_and_every_published_run_says_so(make_run: Any, content: bytes) -> None:
    publish(make_run().name)
    (project.published() / sums.FILE).write_bytes(content)
    with pytest.raises(StoredRunError, match="SHA256SUMS is damaged in line"):
        sums.read(project.published())
    damaged = [entry for entry in catalogue() if entry.published]
    assert [entry.damage.startswith("SHA256SUMS is damaged in line") for entry in damaged] == [True]


def test_two_runs_that_are_listed_at_once_are_both_listed(tmp_path: Path) -> None:
    def listed(number: int) -> None:
        folder = tmp_path / "runs" / str(number)
        folder.mkdir(parents=True)
        (folder / schema.RUN).write_text(str(number))
        sums.add(tmp_path, f"scale/{number}", folder)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(listed, range(24)))
    assert len(sums.read(tmp_path)) == 24


def test_a_run_is_not_listed_over_another_of_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / schema.RUN).write_text("one")
    sums.add(tmp_path, "scale/a", folder)
    sums.add(tmp_path, "scale/a", folder)
    (folder / schema.RUN).write_text("two")
    before = (tmp_path / sums.FILE).read_bytes()
    with pytest.raises(StoredRunError, match="lists other files of scale/a"):
        sums.add(tmp_path, "scale/a", folder)
    assert (tmp_path / sums.FILE).read_bytes() == before


def test_a_publication_that_is_cut_off_after_the_list_is_mended_by_repeating_it(
    make_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_run()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", cut)
        with pytest.raises(PowerCut):
            publish(folder.name)
    (gone,) = (entry for entry in catalogue() if entry.published)
    assert "its folder is missing" in gone.damage
    target = publish(folder.name)
    assert read_run(target, published=True).published
    assert [entry.damage for entry in catalogue()] == ["", ""]


def test_tables_are_looked_at_and_damage_is_part_of_the_list(make_run: Any, new_writer: Any) -> None:
    good, flipped, gone = make_run("aaaa00000000"), make_run("bbbb00000000"), make_run("cccc00000000")
    new_writer("dddd00000000")
    content = bytearray((flipped / schema.SAMPLES).read_bytes())
    content[9] ^= 1
    (flipped / schema.SAMPLES).write_bytes(content)
    (gone / schema.TRIALS).unlink()
    assert all(entry.record for entry in catalogue())
    found = {entry.id: entry for entry in map(store.checked, catalogue())}
    assert {name for name, entry in found.items() if entry.record is None} == {flipped.name, gone.name}
    assert "SHA-256" in found[flipped.name].damage
    assert "missing" in found[gone.name].damage
    assert found[good.name].record is not None


def test_a_record_that_is_not_written_as_benchbook_writes_it_is_refused(make_run: Any) -> None:
    folder = make_run()
    record = seals.sealed(of(folder))
    assert whole(folder)
    (folder / schema.RUN).write_text(json.dumps(record))
    assert not whole(folder)


@pytest.mark.parametrize("added", ['"id": "another",', '"more": NaN,', '"more": 1e0,'])
def test_nor_is_one_whose_seal_fits_such_a_text(make_run: Any, added: str) -> None:
    folder = make_run()
    bare = {name: value for name, value in of(folder).items() if name != seals.SEAL}
    text = sealing.atomic.json_text(bare).replace("{\n", f"{{\n {added}\n", 1)
    sealed = text.removesuffix("\n}\n") + f',\n "{seals.SEAL}": "{sha256(text.encode()).hexdigest()}"\n}}\n'
    (folder / schema.RUN).write_text(sealed)
    problem = seals.problem(sealed, json.loads(sealed))
    assert problem == "is not written as Benchbook writes it"
    assert not whole(folder)
