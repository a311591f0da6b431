"""Which chapters every test run measures: one of each family."""

import re
from collections import Counter
from pathlib import Path

import pytest
from representatives import REPRESENTATIVES, chapter_of, family, is_long, measured_by

from benchbook import lab
from benchbook.parameters.kinds import Kind

MEASURED = [name for name in lab.names() if lab.experiment(name).kind == Kind.MEASUREMENT]


@pytest.mark.parametrize("name", MEASURED)
def test_every_chapter_that_measures_belongs_to_a_family(name: str) -> None:
    assert family(name) is not None, "name what it imports and who stands for it in REPRESENTATIVES"


def test_one_chapter_of_each_family_is_measured_by_every_test_run() -> None:
    now = Counter(family(name) for name in MEASURED if not is_long(name))
    assert now == dict.fromkeys(REPRESENTATIVES.values(), 1)
    assert all(family(chapter) == chapter for chapter in REPRESENTATIVES.values())


def test_every_chapter_that_measures_has_engine_tests_and_they_are_known_as_its_own() -> None:
    found = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        text = path.read_text("utf-8")
        tiny = {*re.findall(r'^    "(\w+)": Tiny\(', text, re.MULTILINE)}
        found |= tiny
        if not tiny and re.search(r"^pytestmark = .*(?:mark\.engine|needing\()", text, re.MULTILINE):
            named = re.search(r'^CHAPTER = "(\w+)"', text, re.MULTILINE)
            chapter = chapter_of(path, named[1] if named else None)
            assert chapter, f"{path.name}: name its CHAPTER"
            found.add(chapter)
    assert found == set(MEASURED)


def test_their_tests_are_marked_so(request: pytest.FixtureRequest) -> None:
    engine = [item for item in request.session.items if item.path.parent == Path(__file__).parent]
    engine = [item for item in engine if item.get_closest_marker("engine")]
    for item in engine:
        chapter = measured_by(item)
        assert bool(item.get_closest_marker("long")) is (chapter is not None and is_long(chapter)), item.nodeid
