"""Parameters that cannot be are refused, each in a sentence that names it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchbook.chapters.hot_cold_keys import Parameters
from benchbook.errors import BenchbookError
from benchbook.parameters.profiles import precedence, profile, read_parameters


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"hot_set_keys": 2_000, "rows_per_table": 1_000}, "hot_set_keys=2,000 exceeds .* rows_per_table=1,000"),
        ({"rows_per_table": 10_999}, "11,000 distinct keys do not fit into rows_per_table=10,999"),
        ({"measured_requests": 10_500}, "measured_requests=10500 is no multiple of window_requests=1000"),
        ({"large_pool_mib": 100}, "large_pool_mib=100 is smaller than shared_buffers_mib=2048"),
        ({"hot_shares_percent": [80, 0]}, r"hot_shares_percent=\(80, 0\)"),
        ({"hot_shares_percent": [100]}, r"hot_shares_percent=\(100,\)"),
        ({"hot_shares_percent": [80, 80]}, "names a value twice"),
        ({"zipf_exponents": [0.0]}, r"zipf_exponents=\(0.0,\)"),
        ({"zipf_exponents": [-1]}, "zipf_exponents"),
        ({"zipf_exponents": [0.99, 0.99]}, "names a value twice"),
        ({"added_read_ms": [-0.1]}, r"added_read_ms=\(-0.1,\) must lie between 0 and 100"),
        ({"added_trip_ms": [101]}, r"added_trip_ms=\(101.0,\)"),
        ({"added_trip_ms": [0.5, 0.5]}, "names a value twice"),
        ({"n_tables": 0}, "n_tables=0"),
        ({"n_tables": 201}, "n_tables=201"),
        ({"n_tables": "many"}, "n_tables='many'"),
        ({"blocks": 1}, "blocks=1"),
        ({"seed": -1}, "seed=-1"),
        ({"client_mode": "parallel"}, "client_mode='parallel'"),
        ({"direct_io": "perhaps"}, "direct_io='perhaps'"),
        ({"n_table": 3}, "unknown parameter 'n_table' .*did you mean 'n_tables'"),
        ({"zipf_exponent": [1.0]}, "did you mean 'zipf_exponents'"),
        ({"n_tables": 0, "blocks": 1}, "blocks=1.*n_tables=0|n_tables=0.*blocks=1"),
    ],
)
def test_a_parameter_that_cannot_be_is_named(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BenchbookError, match=said) as caught:
        Parameters.given(given)
    assert caught.value.mend
    assert "\n" not in caught.value.problem


@pytest.mark.parametrize("name", ["zipf_exponents"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_none_is_refused(name: str, value: float) -> None:
    with pytest.raises(BenchbookError, match=name):
        Parameters.given({name: [value]})


def test_two_exponents_that_would_have_one_name_are_refused() -> None:
    with pytest.raises(BenchbookError, match="zipf_exponents"):
        Parameters.given({"zipf_exponents": [0.99, 0.990000001]})


def test_the_smallest_data_set_that_holds_the_keys_is_accepted() -> None:
    assert Parameters.given({"rows_per_table": 11_000}).rows_per_table == 11_000


def test_equal_parameters_have_equal_keys_however_they_were_given() -> None:
    default = Parameters().key("hot_cold_keys", 1)
    assert Parameters.given({"n_tables": 30, "zipf_exponents": [0.99]}).key("hot_cold_keys", 1) == default
    others = [Parameters.given({"seed": 1}).key("hot_cold_keys", 1), Parameters().key("hot_cold_keys", 2)]
    assert len({default, *others}) == 3


def test_a_profile_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(BenchbookError, match=r"'quik'.*quick, standard, paper"):
        profile("hot_cold_keys", "quik")


def test_the_newest_run_stands_for_its_chapter_and_a_quick_one_only_without_another() -> None:
    moments = [("quick", "2026-03-03"), ("standard", "2026-03-01"), ("custom", "2026-03-02"), ("quick", "2026-03-04")]
    records = [{"profile": profile, "finished_at": moment} for profile, moment in moments]
    assert sorted(records, key=precedence) == [records[0], records[3], records[1], records[2]]
    assert precedence({"profile": "standard", "finished_at": None}) == (True, "")


@pytest.mark.parametrize("content", [b"", b"- 1", b"a: [", b"\xff", b"1: 2", b"text"])
def test_a_file_that_holds_no_parameters_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(content)
    with pytest.raises(BenchbookError, match=r"mine\.yaml"):
        read_parameters(path)
    with pytest.raises(BenchbookError, match=r"nowhere\.yaml"):
        read_parameters(tmp_path / "nowhere.yaml")
