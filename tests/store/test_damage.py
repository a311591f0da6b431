"""A stored run that is not what it was is named and refused, whatever happened to it."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchbook import plain
from benchbook.errors import BenchbookError, StoredRunError
from benchbook.store import atomic, catalogue, check_files, find_complete, read_run, schema, seals

TABLES = (schema.TRIALS, schema.SAMPLES)


@pytest.mark.parametrize("name", TABLES)
def test_every_byte_that_flips_in_a_table_is_noticed(make_run: Any, name: str) -> None:
    folder = make_run()
    record = schema.read_record(folder)
    path = folder / name
    whole = path.read_bytes()
    generator = np.random.default_rng(1)
    places = {*range(8), *range(len(whole) - 12, len(whole)), *generator.integers(0, len(whole), 200).tolist()}
    for place in sorted(places):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(generator.integers(8))
        path.write_bytes(damaged)
        with pytest.raises(StoredRunError, match=f"{name} is damaged"):
            check_files(folder, record)
    with pytest.raises(StoredRunError, match=name):
        read_run(folder, published=False)
    path.write_bytes(whole)
    read_run(folder, published=False)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("keep", [0, 1, 0.5, -1])
def test_a_truncated_table_is_named(make_run: Any, name: str, keep: float) -> None:
    folder = make_run()
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: int(keep * len(whole)) if keep == 0.5 else int(keep)])
    with pytest.raises(StoredRunError, match=rf"{name} has .* bytes instead of") as caught:
        read_run(folder, published=False)
    assert folder.name in caught.value.mend


@pytest.mark.parametrize("name", [*TABLES, schema.RUN])
def test_a_missing_file_is_named(make_run: Any, name: str) -> None:
    folder = make_run()
    (folder / name).unlink()
    with pytest.raises(StoredRunError, match=name):
        read_run(folder, published=False)


def edit(folder: Path, **changes: Any) -> None:
    """Change the record and seal it again, so that the seal is not what refuses it."""
    path = folder / schema.RUN
    atomic.write_json(path, seals.sealed(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize("number", [schema.SCHEMA + 1, 99, 0, -1, True, None, "1", 1.5])
def test_a_run_of_a_newer_schema_is_refused_with_the_way_out_and_one_of_none_too(make_run: Any, number: Any) -> None:
    folder, newer = make_run(), number in (schema.SCHEMA + 1, 99)
    edit(folder, schema=number)
    with pytest.raises(StoredRunError, match=f"schema {number}" if newer else "schema") as caught:
        read_run(folder, published=False)
    assert (caught.value.mend == "update Benchbook") is newer


MARKUP = (
    "<script>window.planted = 1</script>",
    "<img src=x onerror='window.planted = 1'>",
    "[x](javascript:planted)",
    "`code`",
    "a&b",
    "{{ 7 * 7 }}",
    "```{raw} html\n<b>",
)
WORDS = (
    "processor",
    "system",
    "filesystem",
    "python",
    "benchbook_version",
    "engine",
    "engine_version",
    "engine_source",
)


PLACES = {
    "profile": lambda record: record,
    "key": lambda record: record,
    "processor of a session": lambda record: record["sessions"][0],
    "moment of a look": lambda record: record["canary"][0],
    **dict.fromkeys(WORDS, lambda record: record["provenance"]),
}
"""By the field, whose name comes first, what of a record holds it."""


@pytest.mark.parametrize("field", PLACES)
def test_a_word_that_a_page_would_take_for_markup_is_refused(make_run: Any, field: str) -> None:
    folder = make_run()
    whole = (folder / schema.RUN).read_text()
    for words in MARKUP:
        record = json.loads(whole)
        PLACES[field](record)[field.partition(" ")[0]] = words
        edit(folder, **record)
        with pytest.raises(StoredRunError, match="is damaged"):
            read_run(folder, published=False)
        [entry] = catalogue()
        assert entry.record is None
        assert words not in entry.damage


def test_a_machine_whose_name_has_other_signs_is_recorded_in_plain_ones() -> None:
    assert plain.plain("Intel® Core™ i7-8550U <CPU> @ 1.80GHz") == "Intel Core i7-8550U CPU @ 1.80GHz"
    assert re.fullmatch(plain.WORD, plain.plain("=x" * 200))


def test_a_run_that_nobody_could_read_does_not_begin(home: Path, new_writer: Any) -> None:
    with pytest.raises(StoredRunError, match="no run of made_up can begin"):
        new_writer(key="<b>")
    assert not [*(home / "runs").rglob("*")]


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"null", b"\xff\xfe", b'{"schema": 1', b'{"schema": 1}', b"[" * 100_000]
)
def test_what_is_no_record_is_refused_and_listed_as_damaged(make_run: Any, content: bytes) -> None:
    folder, other = make_run(), make_run(key="ba9876543210")
    (folder / schema.RUN).write_bytes(content)
    with pytest.raises(StoredRunError):
        read_run(folder, published=False)
    listed = {entry.id: entry for entry in catalogue()}
    assert listed[folder.name].record is None
    assert listed[folder.name].damage
    assert listed[other.name].record is not None, "the others are still there"
    assert find_complete("made_up", "0123456789ab") is None


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(place=st.integers(0, 10**6), bit=st.integers(0, 7))
def test_a_byte_that_flips_in_the_record_never_ends_in_a_traceback(
    make_run: Any, home: Path, place: int, bit: int
) -> None:
    folder = next((home / "runs" / "made_up").iterdir(), None) if (home / "runs").exists() else None
    folder = folder or make_run()
    path = folder / schema.RUN
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[place % len(whole)] ^= 1 << bit
    path.write_bytes(damaged)
    try:
        read_run(folder, published=False)
    except BenchbookError:
        pass
    finally:
        catalogue()
        path.write_bytes(whole)
