"""Grids of parameters as users write them, and their points."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.errors import BenchbookError
from benchbook.reuse import grid


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a=64,128,256", [64, 128, 256]),
        ("a= 0.5, 1", [0.5, 1]),
        ("a=512..4096*2", [512, 1024, 2048, 4096]),
        ("a=100..1000*3", [100, 300, 900]),
        ("a=0..100+25", [0, 25, 50, 75, 100]),
        ("a=0.1..0.3+0.1", [0.1, 0.2, pytest.approx(0.3)]),
        ("a=[90],[90,50]", [[90], [90, 50]]),
        ("a=serial,pipeline", ["serial", "pipeline"]),
        ("a=true,false", [True, False]),
        ("a=3", [3]),
        ("a=-2..2+2", [-2, 0, 2]),
    ],
)
def test_values_are_lists_ranges_and_texts(text: str, values: list[object]) -> None:
    assert grid.read([text]) == {"a": values}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a", "not of the form"),
        ("=1,2", "not of the form"),
        ("a=", "not of the form"),
        ("a=1,,2", "empty value"),
        ("a=1,1", "twice"),
        ("a=4..1*2", "empty or endless"),
        ("a=0..10*2", "empty or endless"),
        ("a=1..10*1", "empty or endless"),
        ("a=1..10+0", "empty or endless"),
        ("a=1..10+-1", "empty or endless"),
        ("a=x..y+1", "no range of numbers"),
        ("a=[1", "cannot be read"),
    ],
)
def test_what_is_no_list_and_no_range_is_refused(text: str, problem: str) -> None:
    with pytest.raises(BenchbookError, match=problem):
        grid.read([text])


def test_a_name_given_twice_is_refused() -> None:
    with pytest.raises(BenchbookError, match="'a' is given twice"):
        grid.read(["a=1", "a=2"])


def test_a_file_has_lists_and_ranges(tmp_path: Path) -> None:
    path = tmp_path / "grid.yaml"
    path.write_text("a: [1, 2]\nb: 1..4*2\nc: 7\n")
    assert grid.read_file(path) == {"a": [1, 2], "b": [1, 2, 4], "c": [7]}


@pytest.mark.parametrize("text", ["", "{}", "a: []", "[1, 2]"])
def test_a_file_without_values_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "grid.yaml"
    path.write_text(text)
    with pytest.raises(BenchbookError):
        grid.read_file(path)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_the_points_are_every_combination_once(sizes: list[int]) -> None:
    made = grid.points({f"p{place}": list(range(size)) for place, size in enumerate(sizes)})
    assert len(made) == math.prod(sizes) == len({tuple(point.items()) for point in made})


def test_no_point_and_ten_thousand_are_refused() -> None:
    with pytest.raises(BenchbookError, match="no parameter"):
        grid.points({})
    with pytest.raises(BenchbookError, match="10,000 points"):
        grid.points({"a": range(100), "b": range(100)})
    with pytest.raises(BenchbookError, match="points"):
        grid.points(grid.read(["a=1..100000+1"]))
