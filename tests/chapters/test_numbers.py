"""Each number of each chapter compares what it compared, of one planted run; each configuration is asked the same."""

import csv
from collections import defaultdict

import planted_numbers
import pytest
import requests_sent
from planted_numbers import FILE, Number, measured

STORED: dict[str, list[Number]] = defaultdict(list)
with FILE.open() as file:
    for row in csv.DictReader(file):
        STORED[row["chapter"]].append(Number(**row))


@pytest.mark.parametrize("name", measured())
def test_the_numbers_are_those_that_they_were(name: str) -> None:
    now, were = {each.name: each for each in planted_numbers.planted(name)}, {each.name: each for each in STORED[name]}
    differ = {each: (were.get(each), now.get(each)) for each in now.keys() | were if were.get(each) != now.get(each)}
    assert not differ, "if it is meant: .venv/bin/python -m tests.chapters.planted_numbers, and look at the difference"


def test_most_numbers_are_planted() -> None:
    every = [number for some in STORED.values() for number in some]
    assert sum(bool(each.point) for each in every) > 0.85 * len(every)


@pytest.mark.parametrize("name", measured())
def test_each_configuration_is_asked_what_it_was(name: str) -> None:
    stored = [line for line in requests_sent.FILE.read_text().splitlines() if line.startswith(f"{name},")]
    now = requests_sent.text([name]).splitlines()
    differ = [each for each in (*now, *stored) if (each in now) is not (each in stored)]
    assert not differ, "if it is meant: .venv/bin/python -m tests.chapters.planted_numbers, and look at the difference"
    assert now == stored
