"""What is cited: copied whole, small, and never overwritten."""

import os
from typing import Any

import pytest
from test_atomic import full

from benchbook import project
from benchbook.errors import BenchbookError, MachineError, StoredRunError
from benchbook.store import catalogue, find_complete, find_entry, publish, publishing, read_run, schema


def test_a_published_run_is_the_same_run(make_run: Any) -> None:
    folder = make_run()
    target = publish(folder.name)
    assert target == project.published() / "made_up" / folder.name
    assert {path.name for path in target.iterdir()} == {schema.RUN, schema.TRIALS, schema.SAMPLES}
    for path in target.iterdir():
        assert path.read_bytes() == (folder / path.name).read_bytes()
    assert read_run(target, published=True).published


@pytest.mark.parametrize(("umask", "others"), [(0o000, 0o055), (0o077, 0o000)])
def test_a_run_and_its_publication_can_be_written_by_their_owner_alone(make_run: Any, umask: int, others: int) -> None:
    before = os.umask(umask)
    try:
        folder = make_run()
        target = publish(folder.name)
    finally:
        os.umask(before)
    made = [folder, target, target.parent, *folder.iterdir(), *target.iterdir()]
    wider = [path for path in made if path.stat().st_mode & 0o077 & ~others]
    assert wider == []
    assert folder.stat().st_mode & 0o700 == 0o700


def test_a_published_run_is_never_overwritten(make_run: Any) -> None:
    folder = make_run()
    target = publish(folder.name)
    before = {path.name: path.read_bytes() for path in target.iterdir()}
    with pytest.raises(BenchbookError, match="published already"):
        publish(folder.name)
    assert {path.name: path.read_bytes() for path in target.iterdir()} == before


def test_more_than_five_megabytes_are_not_published(make_run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert publishing.LARGEST_BYTES == 5_000_000
    folder = make_run()
    size = sum((folder / name).stat().st_size for name in (schema.RUN, schema.TRIALS, schema.SAMPLES))
    monkeypatch.setattr(publishing, "LARGEST_BYTES", size - 1)
    with pytest.raises(BenchbookError, match="MB"):
        publish(folder.name)
    assert not project.published().joinpath("made_up").exists()
    monkeypatch.setattr(publishing, "LARGEST_BYTES", size)
    publish(folder.name)


def test_an_unfinished_run_is_not_published(new_writer: Any) -> None:
    with pytest.raises(StoredRunError, match="not finished"):
        publish(new_writer().folder.name)


def test_a_damaged_run_is_not_published(make_run: Any) -> None:
    folder = make_run()
    (folder / schema.SAMPLES).write_bytes(b"PAR1")
    with pytest.raises(StoredRunError, match=schema.SAMPLES):
        publish(folder.name)
    (folder / schema.RUN).write_text("{")
    with pytest.raises(BenchbookError, match="damaged"):
        publish(folder.name)
    assert not list(project.published().glob("*/*"))


def test_a_disk_that_fills_up_while_publishing_leaves_no_half_of_a_run(
    make_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_run()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(MachineError, match="No space left"):
            publish(folder.name)
    assert [entry.id for entry in catalogue()] == [folder.name]
    assert not catalogue()[0].published
    publish(folder.name)


def test_a_publication_that_a_power_cut_left_half_done_is_no_run_and_is_done_anew(make_run: Any) -> None:
    folder = make_run()
    half = project.published() / "made_up" / f".{folder.name}.new"
    half.mkdir(parents=True)
    (half / schema.RUN).write_bytes((folder / schema.RUN).read_bytes())
    assert [entry.id for entry in catalogue()] == [folder.name]
    target = publish(folder.name)
    assert [path.name for path in target.parent.iterdir()] == [folder.name]


def test_the_newest_complete_run_answers_and_the_cited_copy_before_the_local_one(
    make_run: Any, new_writer: Any
) -> None:
    first = make_run()
    publish(first.name)
    new_writer()  # unfinished: it answers nothing
    make_run(key="another00000")
    found = find_complete("made_up", "0123456789ab")
    assert (found.id, found.published) == (first.name, True)
    assert not find_complete("made_up", "0123456789ab", published=False).published
    assert find_complete("something_else", "0123456789ab") is None


def test_a_run_is_found_by_the_beginning_of_its_id_when_that_is_unique(make_run: Any) -> None:
    first, second = make_run(key="aaaa00000000"), make_run(key="aabb00000000")
    assert find_entry("aaaa").folder == first
    assert find_entry(second.name).folder == second
    with pytest.raises(BenchbookError, match="could be"):
        find_entry("aa")
    with pytest.raises(BenchbookError, match="no run 'zz'"):
        find_entry("zz")
