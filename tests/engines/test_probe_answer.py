"""What a probe wrote: believed only when each field is there and of its type, and all samples announced are there."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.engines import probe_answer
from benchbook.errors import BenchbookError

RECORD: dict[str, Any] = {
    "protocol": 2,
    "probe": "made up",
    "engine": "None",
    "engine_version": "v0",
    "settings": {},
    "series": [{"name": "gets.service", "count": 3}],
    "seconds": {},
    "counters": {},
    "timeline": [],
    "memory": {},
    "checked_reads": 3,
}
OF_EACH_KIND: list[Any] = ["1", 1, 1.0, True, None, [], {}]


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("", "0 lines"),
        (json.dumps(RECORD) + "\n" + json.dumps(RECORD), "2 lines"),
        ("{", "no JSON"),
        ("[]", "protocol None"),
        (json.dumps(RECORD | {"protocol": 1}), "protocol 1, this package 2"),
        (json.dumps({name: value for name, value in RECORD.items() if name != "counters"}), "counters: Field required"),
        (json.dumps(RECORD | {"series": "gets", "engine": 1}), "engine: Input .* string; series: Input .* list"),
        (json.dumps(RECORD | {"turns": [5]}), r"turns\.0: Input .* dictionary"),
        (json.dumps(RECORD | {"series": [{"name": "gets"}]}), r"series\.0\.count: Field required"),
        (json.dumps(RECORD | {"series": [{"name": "gets", "count": -1}]}), r"series\.0\.count: .* greater than"),
    ],
)
def test_an_answer_that_is_not_whole_is_refused_with_its_place_and_a_mend(output: str, text: str) -> None:
    with pytest.raises(BenchbookError, match=text) as caught:
        probe_answer.parse(output)
    assert "make probes" in caught.value.mend


@given(st.sampled_from(list(RECORD)), st.sampled_from(OF_EACH_KIND))
def test_a_field_is_taken_as_it_is_or_refused_and_never_turned_into_its_type(name: str, value: Any) -> None:
    output = json.dumps(RECORD | {name: value, "timer_ns": 20})
    if type(value) is type(RECORD[name]) and (name != "protocol" or value == 2):
        assert probe_answer.parse(output) == RECORD | {name: value, "timer_ns": 20}, "what more it says is kept"
    else:
        with pytest.raises(BenchbookError, match=name):
            probe_answer.parse(output)


@given(st.dictionaries(st.text(), st.lists(st.integers(0, 2**63 - 1), max_size=5), max_size=4))
def test_samples_come_back_by_series_and_one_more_or_less_is_refused(written: dict[str, list[int]]) -> None:
    series = [{"name": name, "count": len(values)} for name, values in written.items()]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples"
        np.array([value for values in written.values() for value in values], dtype="<u8").tofile(path)
        found = probe_answer.read_samples(path, series)
        assert {name: values.tolist() for name, values in found.items()} == written
        with pytest.raises(BenchbookError, match="announced"):
            probe_answer.read_samples(path, [*series, {"name": "more", "count": 1}])


def test_a_latency_that_cannot_be_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "samples"
    np.array([1, 2**63], dtype="<u8").tofile(path)
    with pytest.raises(BenchbookError, match="292 years"):
        probe_answer.read_samples(path, [{"name": "gets", "count": 2}])


def test_a_series_may_be_empty(tmp_path: Path) -> None:
    path = tmp_path / "samples"
    np.array([5], dtype="<u8").tofile(path)
    found = probe_answer.read_samples(path, [{"name": "a", "count": 0}, {"name": "b", "count": 1}])
    assert found["a"].tolist() == []
    assert found["b"].tolist() == [5]
