"""Lessons: whatever the numbers are, the words follow them."""

import re
from dataclasses import replace
from typing import Any

import pytest

from benchbook import lab
from benchbook.claims import Rule, chapter_claims, judge
from benchbook.errors import BenchbookError
from benchbook.figures import LESSON_MIME_TYPE, Lesson
from benchbook.figures.lesson import (
    CONDITION,
    FAILED,
    HELD,
    HOST,
    NONE,
    OPEN,
    PARTLY,
    grouped,
    heading,
)
from benchbook.figures.numbers import with_interval
from benchbook.model import Effect, Estimate, Evidence, OnHost, Outcome, Verdict
from benchbook.numbers.answers import Answer
from benchbook.numbers.claim_sides import NO_SIDE, Side, Turn, shown, side
from benchbook.pages import lessons
from benchbook.pages.lessons import Teaching
from benchbook.statistics import intervals

TAUGHT = [name for name in lab.names() if lab.experiment(name).answers.given]


def teaching(name: str) -> Teaching:
    found: Teaching = lab.experiment(name).page.teaching
    return found


def points(name: str) -> list[Answer]:
    """The answers of which a chapter's lesson tells, in its order."""
    return [answer for answer in lab.experiment(name).answers.given if answer.said]


def verdict(claim_id: str, outcome: Outcome, low: float = 0.4, high: float = 0.6) -> Verdict:
    return Verdict(claim_id, outcome, "r", Estimate((low + high) / 2, low, high, 8, "t"))


def taught(name: str, outcome: Outcome, low: float = 0.4, high: float = 0.6, *, blank: bool = False) -> Any:
    """The lesson of a chapter of which every claim came out alike."""
    given = [
        Verdict(claim, outcome, "r") if blank else verdict(claim, outcome, low, high) for claim in chapter_claims(name)
    ]
    said = teaching(name)
    no_run: Any = None
    title = lessons.TOO_SHORT if callable(said.title) else lessons.titled(no_run, said, given)
    return Lesson(name, title, "fig-a", lessons.findings(name, points(name), given), (), "Do it.")


@pytest.mark.parametrize("name", TAUGHT)
def test_points_are_claims_of_the_chapter_that_a_rule_decides_each_told_once(name: str) -> None:
    claims = chapter_claims(name)
    identities = [point.claim for point in points(name)]
    assert len(set(identities)) == len(identities) >= 1
    for point in points(name):
        assert claims[point.claim].rule is not Rule.PROSE
        assert point.seen.count("{}") == 1, "the number stands once in what was seen"
        for text in (point.said, point.seen):
            assert text == text.strip()
            assert not text.endswith("."), text


@pytest.mark.parametrize(
    ("name", "outcome"),
    [*((name, Outcome.REPRODUCED) for name in TAUGHT), *(("hot_cold_keys", outcome) for outcome in Outcome)],
)
def test_every_claim_stands_where_its_verdict_puts_it_with_its_number(name: str, outcome: Outcome) -> None:
    made = taught(name, outcome)
    groups = grouped(made.record()["findings"])
    expected = {
        Outcome.REPRODUCED: HELD,
        Outcome.DIRECTION_ONLY: PARTLY,
        Outcome.NO_EFFECT: NONE,
        Outcome.CONTRADICTED: FAILED,
        Outcome.HOST: HOST,
        Outcome.CONDITION: CONDITION,
    }
    assert list(groups) == [expected.get(outcome, OPEN)]
    assert sum(map(len, groups.values())) == len(points(name))
    for point, finding in zip(points(name), made.findings, strict=True):
        shown = with_interval(Estimate(0.5, 0.4, 0.6, 8, "t"), point.factor)
        assert (shown in finding.seen) == (outcome is not Outcome.NOT_TESTABLE)
        assert "{" not in finding.seen


def test_an_open_claim_says_why_and_where_it_is_close_what_the_claim_allows() -> None:
    point = points("hot_cold_keys")[0]
    claim = chapter_claims("hot_cold_keys")[point.claim]
    for outcome in (each for each in Outcome if heading(each) == OPEN and each is not Outcome.NOT_TESTABLE):
        close = outcome in (Outcome.ONE_VISIT, Outcome.INCONCLUSIVE)
        finding = lessons._finding(point, claim, replace(verdict(point.claim, outcome), why="so it is"))
        assert finding.seen.endswith("; so it is (above 1.10)" if close else "; so it is")
    idle = Verdict(point.claim, Outcome.DESIGN, "r", why="the claimed cause did not act here")
    named = lessons._finding(replace(point, cause="the cache"), claim, idle)
    assert named.seen == "the claimed cause, the cache, did not act here"


@pytest.mark.parametrize(
    ("rule", "region", "interval", "size"),
    [
        (Rule.INSIDE, (1.2, 1.4), (2.0, 3.0), "larger"),
        (Rule.INSIDE, (1.2, 1.4), (1.05, 1.1), "smaller"),
        (Rule.INSIDE, (0.3, 0.5), (0.1, 0.2), "larger"),
        (Rule.INSIDE, (0.3, 0.5), (0.7, 0.8), "smaller"),
        (Rule.GREATER, (1.0, None), (1.01, 1.02), "smaller"),
        (Rule.LESS, (None, 1.0), (0.97, 0.98), "smaller"),
    ],
)
def test_a_claim_that_is_right_in_direction_alone_says_on_which_side_of_its_size(
    rule: Rule, region: tuple[float | None, float | None], interval: tuple[float, float], size: str
) -> None:
    point = points("hot_cold_keys")[0]
    low, high = region
    claim = replace(
        chapter_claims("hot_cold_keys")[point.claim], unit="ratio", rule=rule, margin=0.1, low=low, high=high
    )
    given = judge(claim, Effect(sum(interval) / 2, *interval, 8, "t"))
    assert given.outcome is Outcome.DIRECTION_ONLY
    assert lessons._finding(point, claim, given).seen.endswith(f"; the effect is {size} than claimed")


def test_what_cannot_act_and_what_a_report_decides_say_so_before_what_was_measured() -> None:
    claim = "L017"
    point = next(each for each in points("hot_cold_keys") if each.claim == claim)
    number_ = Estimate(0.5, 0.4, 0.6, 8, "t")
    for evidence in (Evidence.CONSTRUCTION, Evidence.REPORT):
        given = Verdict(claim, Outcome.CONTRADICTED, "Nothing can.", number_, evidence=evidence)
        (finding,) = lessons.findings("hot_cold_keys", [point], [given])
        assert finding.seen.startswith("nothing can; measured beside it, ")
        assert with_interval(number_, point.factor) in finding.seen
        assert finding.evidence is evidence


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("A CHECKPOINT precedes all.", "a CHECKPOINT precedes all"),
        ("PostgreSQL 16 reads ahead.", "PostgreSQL 16 reads ahead"),
        ("TPC-B has no plan.", "TPC-B has no plan"),
    ],
)
def test_a_reason_within_a_sentence_keeps_the_names_that_it_begins_with(reason: str, words: str) -> None:
    point = next(each for each in points("hot_cold_keys") if each.claim == "L017")
    given = Verdict("L017", Outcome.CONTRADICTED, reason, evidence=Evidence.REPORT)
    assert lessons.findings("hot_cold_keys", [point], [given])[0].seen == words


def test_what_a_report_decides_is_not_sized_by_what_was_measured_beside_it() -> None:
    point = next(each for each in points("hot_cold_keys") if each.claim == "L017")
    beside = Estimate(0.5, 0.4, 0.6, 8, "t")
    given = Verdict("L017", Outcome.DIRECTION_ONLY, "r", beside, evidence=Evidence.REPORT)
    assert "than claimed" not in lessons.findings("hot_cold_keys", [point], [given])[0].seen


@pytest.mark.parametrize(("confidence", "words"), [(0.95, ""), (0.99, " (99 %)"), (1 - 0.01 / 3, " (99.67 %)")])
def test_another_confidence_than_the_pages_is_said_once(confidence: float, words: str) -> None:
    point = next(each for each in points("hot_cold_keys") if each.claim == "L017")
    numbers = [Estimate(middle, 1.0, 9.0, 8, "t", confidence) for middle in (2.0, 3.0)]
    rows = tuple(OnHost(name, "", each, Outcome.CONTRADICTED, 8, 2) for name, each in zip("ab", numbers, strict=True))
    for given in (
        Verdict("L017", Outcome.CONTRADICTED, "r", numbers[0]), Verdict("L017", Outcome.HOST, "r", hosts=rows)
    ):  # fmt: skip
        (finding,) = lessons.findings("hot_cold_keys", [point], [given])
        assert finding.seen.count(" %)") == bool(words)
        assert words in finding.seen


def test_where_hosts_lie_apart_each_has_its_number_and_no_other_stands_there() -> None:
    point = next(each for each in points("hot_cold_keys") if each.claim == "L017")
    rows = tuple(
        OnHost(name, "kernel", Estimate(middle, middle - 0.1, middle + 0.1, 8, "t"), Outcome.INCONCLUSIVE, 8, 2)
        for name, middle in (("one", 0.5), ("other", 2.5))
    )
    (finding,) = lessons.findings("hot_cold_keys", [point], [Verdict("L017", Outcome.HOST, "r", hosts=rows)])
    for row in rows:
        assert f"{with_interval(row.estimate, point.factor)}" in finding.seen
        assert f" on {row.name}" in finding.seen


def test_a_sentence_takes_a_number_only_where_its_interval_lies_as_it_says() -> None:
    given = [verdict("L017", Outcome.CONTRADICTED, 2.0, 3.0)]
    assert shown(given, "L017", Side.ABOVE) == given[0].estimate
    for wrong in (
        lambda: shown(given, "L017", Side.BELOW),
        lambda: shown(given, "L017", Side.ABOVE, 2.5),
        lambda: shown([verdict("L017", Outcome.CHECK, 2.0, 3.0)], "L017", Side.ABOVE),
        lambda: shown([Verdict("L017", Outcome.INCONCLUSIVE, "r")], "L017", Side.ABOVE),
    ):
        with pytest.raises(BenchbookError, match="does not show L017"):
            wrong()


@pytest.mark.parametrize("name", TAUGHT)
def test_a_run_that_can_say_nothing_gives_a_lesson_that_says_so(name: str) -> None:
    made = taught(name, Outcome.INCONCLUSIVE, blank=True)
    assert all(finding.seen == "this run has no number for it" for finding in made.findings)
    title = teaching(name).title
    assert made.title == (title.open if isinstance(title, Turn) else lessons.TOO_SHORT if callable(title) else title)


@pytest.mark.parametrize("name", [name for name in TAUGHT if isinstance(teaching(name).title, Turn)])
def test_the_title_follows_the_interval_and_not_the_verdict_alone(name: str) -> None:
    turn = teaching(name).title
    assert len({turn.above, turn.below, turn.open}) == 3
    assert turn.claim_id in {point.claim for point in points(name)}, "its number stands in the lesson"
    for words in (turn.above, turn.below, turn.open):
        assert words[0].isupper()
        assert not words.endswith(".")
    cases = {(turn.at + 0.01, turn.at + 0.02): turn.above, (turn.at - 0.02, turn.at - 0.01): turn.below,
             (turn.at - 0.01, turn.at + 0.01): turn.open}  # fmt: skip
    for (low, high), words in cases.items():
        for outcome in (Outcome.REPRODUCED, Outcome.DIRECTION_ONLY, Outcome.CONTRADICTED, Outcome.INCONCLUSIVE):
            assert taught(name, outcome, low, high).title == words
        assert taught(name, Outcome.CHECK, low, high).title == turn.open


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1.1, 1.2, Side.ABOVE),
        (0.8, 0.9, Side.BELOW),
        (0.9, 1.1, Side.OPEN),
        (1.0, 1.2, Side.OPEN),
        (0.9, 1.0, Side.OPEN),
    ],
)
def test_an_interval_that_touches_the_number_is_on_no_side(low: float, high: float, expected: Side) -> None:
    assert side(verdict("L001", Outcome.INCONCLUSIVE, low, high)) is expected
    for outcome in NO_SIDE:
        assert side(verdict("L001", outcome, low, high)) is Side.OPEN
    assert side(Verdict("L001", Outcome.INCONCLUSIVE, "r")) is Side.OPEN


@pytest.mark.parametrize(("low", "expected"), [(1.05, Side.ABOVE), (0.95, Side.OPEN)])
def test_a_side_is_that_of_the_interval_that_the_verdict_had_to_bear(low: float, expected: Side) -> None:
    ratio = Effect(1.15, 1.1, 1.2, 8, intervals.PAIRED_LOG_T, 0.95, "ratio", 0.01)
    for outcome in (Outcome.REPRODUCED, Outcome.INCONCLUSIVE, Outcome.ONE_VISIT):
        assert side(Verdict("L001", outcome, "r", ratio, carried=replace(ratio, low=low))) is expected


def test_where_hosts_lie_apart_the_side_is_that_of_all() -> None:
    for other, at, expected in ((0.1, 0.0, Side.ABOVE), (0.1, 0.15, Side.OPEN), (0.1, 0.5, Side.BELOW)):
        rows = tuple(
            OnHost(str(middle), "", Estimate(middle, middle - 0.02, middle + 0.02, 8, "t"), Outcome.REPRODUCED, 8, 2)
            for middle in (0.2, other)
        )
        assert side(Verdict("L001", Outcome.HOST, "r", hosts=rows), at) is expected


def test_a_point_without_a_verdict_is_refused() -> None:
    with pytest.raises(BenchbookError, match="no verdict on L001"):
        lessons.findings("hot_cold_keys", [replace(points("hot_cold_keys")[0], claim="L001")], [])
    with pytest.raises(BenchbookError, match="no verdict on L001"):
        Turn("L001", "a", "b", "c").title([])


def test_a_notebook_shows_the_lesson_in_words_and_hands_on_its_record() -> None:
    made = taught("hot_cold_keys", Outcome.CONTRADICTED, 2.0, 3.0)
    bundle = made._repr_mimebundle_()
    assert bundle[LESSON_MIME_TYPE] == made.record()
    assert bundle["text/markdown"].startswith(f"**{made.title}.**\n\n{FAILED}: Note 000 says that ")
    assert bundle["text/plain"].endswith(made.advice)
    assert not re.search(r"\bnan\b|\{\}", bundle["text/plain"])
