"""Values that no chapter takes, the keys of parameters, profiles, and files of parameters."""

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
        ({"n_tables": 0}, "n_tables=0"), ({"n_tables": "many"}, "n_tables='many'"), ({"seed": -1}, "seed=-1"),
        ({"client_mode": "parallel"}, "client_mode='parallel'"), ({"direct_io": "perhaps"}, "direct_io='perhaps'"),
        ({"n_tables": True}, "n_tables=True: input should not be true or false"),
        ({"zipf_exponents": [float("nan")]}, "zipf_exponents"),
        ({"n_table": 3}, "unknown parameter 'n_table' .*did you mean 'n_tables'"),
        ({"n_tables": 0, "blocks": 1}, "blocks=1.*n_tables=0|n_tables=0.*blocks=1"),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_kind_is_refused_in_one_line_that_names_it(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BenchbookError, match=said) as caught:
        Parameters.given(given)
    assert caught.value.mend
    assert "\n" not in caught.value.problem


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
