"""Parts: chosen by name, stored one by one, left out with a reason where the machine lacks something."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchbook.bench import parts
from benchbook.bench.measured import FULL, SMALL, Measured, Pair, Say, Sizes
from benchbook.bench.record import read, timing
from benchbook.errors import BenchbookError, NoEngineError


def good(sizes: Sizes, say: Say) -> Measured:
    say("going on")
    timings = (timing("a", "an a", [1.0, 2.0]), timing("b", "a b", [2.0, 3.9]))
    return Measured(timings, (Pair("a", "b", main=True),), {"repeats": sizes.repeats}, {"x": "1.0"})


def lacking(sizes: Sizes, say: Say) -> Measured:
    raise NoEngineError("there is no compiler", "install one")


def broken(sizes: Sizes, say: Say) -> Measured:
    raise BenchbookError("two answers differ", "look why")


@pytest.fixture(autouse=True)
def topics(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {
        "good": parts.Topic("Good", good),
        "lacking": parts.Topic("Lacking", lacking),
        "broken": parts.Topic("Broken", broken),
    }
    monkeypatch.setattr(parts, "PARTS", made)


def test_parts_are_those_that_are_named_or_all() -> None:
    assert parts.chosen([]) == ["good", "lacking", "broken"]
    assert parts.chosen(["broken", "good"]) == ["good", "broken"]
    with pytest.raises(BenchbookError, match=r"there is no part 'goood' \(did you mean 'good'\?\)"):
        parts.chosen(["goood"])


def test_a_part_without_its_engine_is_stored_with_the_reason(home: Path, tmp_path: Path) -> None:
    said: list[str] = []
    found = parts.measure(["good", "lacking"], FULL, tmp_path / "p.json", said.append)
    good_one, left_out = found.parts
    assert left_out.skipped == "there is no compiler; install one"
    assert left_out.timings == ()
    assert good_one.comparisons[0].ratio == pytest.approx((1 / 2 * 2 / 3.9) ** 0.5)
    assert good_one.settings == {"repeats": 5}
    assert good_one.load >= 0
    assert "good: going on" in said
    assert any("lacking: left out: there is no compiler" in line for line in said)
    assert read(tmp_path / "p.json") == found


def test_what_was_measured_before_a_failure_is_kept(home: Path, tmp_path: Path) -> None:
    with pytest.raises(BenchbookError, match="two answers differ"):
        parts.measure(["good", "broken"], SMALL, tmp_path / "p.json", lambda line: None)
    found = read(tmp_path / "p.json")
    assert found is not None
    assert [each.name for each in found.parts] == ["good"]
    assert found.parts[0].settings["small"] is True


def test_a_file_of_another_machine_is_refused_before_measuring(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    parts.measure(["good"], SMALL, path, lambda line: None)
    content = json.loads(path.read_text())
    content["host"]["cores"] = 999
    path.write_text(json.dumps(content))
    said: list[str] = []
    with pytest.raises(BenchbookError, match="another machine"):
        parts.measure(["good"], SMALL, path, said.append)
    assert said == []
