"""The record of the performance measurement: whole, of one machine, part by part, its ratios those of its timings."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchbook import statistics
from benchbook.bench import parts
from benchbook.bench.measured import FULL, SMALL, Measured, Pair, Say, Sizes
from benchbook.bench.record import Part, Performance, compare, read, timing, with_part, write
from benchbook.errors import BenchbookError, NoEngineError

HOST: dict[str, Any] = {"processor": "x", "cores": 2, "memory_gib": 7.5, "system": "Linux 6", "direct_reads": True}
OURS = (1.0, 1.2, 1.1, 1.3, 1.05)
THEIRS = (0.5, 0.61, 0.52, 0.64, 0.55)


def part(name: str = "analysis", **changes: Any) -> Part:
    timings = (timing("ours", "ours", OURS), timing("theirs", "theirs", THEIRS, target_s=1.0))
    content: dict[str, Any] = {
        "name": name,
        "title": "A part",
        "measured_at": "2026-01-17T10:00:00+00:00",
        "commit": "0123456789abcdef",
        "dirty": False,
        "load": 0.1,
        "settings": {"samples": 10, "small": True, "share": 0.5},
        "timings": timings,
        "comparisons": (compare(timings, "ours", "theirs", main=True),),
    }
    return Part.model_validate(content | changes)


def performance(*parts: Part) -> Performance:
    return Performance(host=HOST, parts=parts)


def test_a_ratio_is_the_books_own_over_the_repeats() -> None:
    [found] = part().comparisons
    effect = statistics.ratio(OURS, THEIRS)
    assert (found.ratio, found.low, found.high) == (effect.point, effect.low, effect.high)
    assert found.low < 2 < found.high
    assert found.main


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "performance.json"
    assert read(path) is None
    write(path, performance(part()))
    found = read(path)
    assert found == performance(part())
    assert found is not None
    assert found.parts[0].settings == {"samples": 10, "small": True, "share": 0.5}
    assert path.stat().st_size < 5_000


def altered(path: Path, *keys: Any, value: Any) -> None:
    content = json.loads(path.read_text())
    place = content
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    path.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("keys", "value", "problem"),
    [
        (("parts", 0, "comparisons", 0, "ratio"), 2.5, "does not follow from its timings"),
        (("parts", 0, "comparisons", 0, "high"), 9.0, "does not follow from its timings"),
        (("parts", 0, "comparisons", 0, "peer"), "ghost", "there is no timing 'ghost'"),
        (("parts", 0, "timings", 0, "seconds"), [1.0, 1.1], "ours / theirs"),
        (("parts", 0, "timings", 0, "seconds", 2), 0.0, "took 0 s"),
        (("parts", 0, "timings", 0, "name"), "theirs", "two timings of one name"),
        (("parts", 0, "skipped"), "no compiler", "either have timings or say why"),
        (("format",), 2, "format"),
        (("surprise",), 1, "surprise"),
        (("parts", 0, "timings", 0, "short"), None, "short"),
    ],
)
def test_a_record_that_contradicts_itself_is_refused(tmp_path: Path, keys: Any, value: Any, problem: str) -> None:
    path = tmp_path / "performance.json"
    write(path, performance(part()))
    altered(path, *keys, value=value)
    with pytest.raises(BenchbookError, match=problem) as caught:
        read(path)
    assert "performance.json is damaged" in caught.value.problem


def test_no_json_at_all_is_refused(tmp_path: Path) -> None:
    (tmp_path / "performance.json").write_text("{")
    with pytest.raises(BenchbookError, match="damaged at its top"):
        read(tmp_path / "performance.json")


def test_one_repeat_has_no_ratio() -> None:
    once = (timing("a", "a", [1.0]), timing("b", "b", [2.0]))
    with pytest.raises(ValueError, match="a / b"):
        compare(once, "a", "b")


def test_a_part_takes_the_place_of_the_older_one_and_the_others_stay_in_their_order() -> None:
    before = performance(part("build"), part("analysis"))
    after = with_part(before, part("analysis", load=3.0), HOST, ("build", "clients", "analysis"))
    assert [each.name for each in after.parts] == ["build", "analysis"]
    assert after.parts[1].load == 3.0
    more = with_part(after, part("clients"), HOST, ("build", "clients", "analysis"))
    assert [each.name for each in more.parts] == ["build", "clients", "analysis"]
    assert with_part(None, part(), HOST, ("analysis",)).parts == (part(),)


def test_numbers_of_two_machines_are_never_mixed() -> None:
    with pytest.raises(BenchbookError, match=r"another machine \(cores: 2, here 32\)"):
        with_part(performance(part()), part(), HOST | {"cores": 32}, ("analysis",))
    assert with_part(performance(part()), part(), HOST | {"timer_cost_ns": 40.0}, ("analysis",)).host["cores"] == 2


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
        "good": ("Good", good),
        "lacking": ("Lacking", lacking),
        "broken": ("Broken", broken),
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
    altered(path, "host", "cores", value=999)
    said: list[str] = []
    with pytest.raises(BenchbookError, match="another machine"):
        parts.measure(["good"], SMALL, path, said.append)
    assert said == []
