"""The note's release of RocksDB without an engine: which configurations there are, and what differs between two."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchbook.chapters.rocksdb_releases import CASES, COMPARED, PROBING, Bench, Parameters, configurations, request_of
from benchbook.engines import kv, probe
from benchbook.errors import BenchbookError, NoEngineError

ARMS = {arm.name: arm for arm in configurations(Parameters())}
ASKED = {name: request_of(Parameters(), arm, 1) for name, arm in ARMS.items()}


def test_every_case_is_asked_alike_on_both_releases_and_one_twice() -> None:
    for case in CASES:
        assert ASKED[f"ours_{case}"] == ASKED[f"notes_{case}"]
    assert ASKED["ours_files_before_again"] == ASKED["ours_files_before"]
    assert len({arm.group for arm in ARMS.values()}) == 1


@pytest.mark.parametrize("name", COMPARED)
def test_the_two_sides_of_a_comparison_differ_in_options_or_in_where_the_rows_lie(name: str) -> None:
    _, top, bottom = COMPARED[name]
    above, below = ASKED[f"ours_{top}"], ASKED[f"ours_{bottom}"]
    differ = {key for key in above if above[key] != below[key]}
    assert differ == ({"load"} if name == "place" else {"options"})


def test_the_note_s_rows_are_written_as_one_and_the_others_are_compacted() -> None:
    for case in CASES:
        load = ASKED[f"notes_{case}"]["load"]
        asked = (0, "nothing") if case.startswith("memtable") else (100_000, "compact")
        assert (load["batch_rows"], load["settle"]) == asked, case


def test_each_release_has_its_program() -> None:
    bench = Bench(PROBING, Parameters(), Path("own"), Path(), None, Path("note"))
    for name, arm in ARMS.items():
        assert bench.program_of(arm) == Path("note" if name.startswith("notes") else "own")


def test_a_larger_cache_that_is_not_is_refused() -> None:
    with pytest.raises(BenchbookError, match="larger_cache_mib"):
        Parameters.given({"larger_cache_mib": 512})


def test_without_the_program_the_message_says_how_to_build_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(probe.FOLDER, str(tmp_path))
    with pytest.raises(NoEngineError, match="kv-rocksdb-10 is not built") as caught:
        kv.find_notes_release()
    assert "make rocksdb-10" in caught.value.mend
