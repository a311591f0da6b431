"""What every experiment makes of a run: whole figures of known metrics, one verdict for every claim of its chapter."""

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from asking import Asked, Made, wordless

from benchbook import lab, project, provenance, store, verification
from benchbook.bench.parts import PARTS
from benchbook.bench.record import FILE, read
from benchbook.book.pages import numbered_pages
from benchbook.book.records.judged import Judged, every_claim
from benchbook.claims import Quantity, Rule, reasons
from benchbook.claims.ledger import load_claims
from benchbook.cli import verdict_summary
from benchbook.errors import suggestion
from benchbook.figures import Figure
from benchbook.figures.lesson import DECIDED
from benchbook.model import Evidence, Outcome, Run, Verdict
from benchbook.numbers.metrics import Metrics
from benchbook.parameters.base import key_of
from benchbook.store import Entry, sums

END = re.compile(r"\b(low|high)\b")
REGION = re.compile(r"\b(claimed|region)\b")


def published() -> list[Entry]:
    return [entry for entry in store.catalogue() if entry.published]


def ids(entry: Entry) -> str:
    return f"{entry.folder.parent.name}/{entry.id}"


LONGEST_CAPTION = 60
LONGEST_FINDING = 26
LONGEST_SENTENCE = 30
"""Words, of a sentence on the first screen without its intervals."""
FEWEST_MARKS = 3


@pytest.fixture(params=published(), ids=ids)
def entry(request: pytest.FixtureRequest) -> Entry:
    return request.param


def test_every_published_file_is_of_a_run() -> None:
    known = {entry.folder for entry in published() if entry.record}
    found = {path.parent for path in project.published().rglob("*") if path.is_file() and path.name != sums.FILE}
    assert sorted(found - known) == [], "these folders hold files and are not runs; put them in experiment/run"


@cache
def introduced() -> provenance.Introduced:
    return verification.first_committed()


def test_every_published_run_verifies_and_is_as_it_was_first_committed(entry: Entry) -> None:
    assert verification.verify(entry, introduced=introduced()).problems == ()


def test_every_published_run_is_one_of_an_experiment_and_small(entry: Entry) -> None:
    assert entry.record["id"] == entry.id
    assert entry.record["experiment"] == entry.folder.parent.name
    assert entry.record["experiment"] in lab.names()
    version, values = entry.record["measurement_version"], entry.record["parameters"]
    assert key_of(entry.record["experiment"], version, values) == entry.record["key"]
    assert sum(path.stat().st_size for path in entry.folder.iterdir()) <= 5_000_000


def test_no_published_run_names_a_folder_of_the_machine(entry: Entry) -> None:
    text = json.dumps(entry.record)
    for name in ("/home/", "/root", "/tmp/", "/var/", str(project.root())):
        assert name not in text


@pytest.fixture(scope="session")
def figures(of: Any) -> Callable[[str], list[Figure]]:
    """Figures by experiment."""
    return lambda name: [*of(name).figures.values()]


@pytest.fixture(scope="session")
def verdicts(of: Any) -> Callable[[str], list[Verdict]]:
    """Verdicts by experiment."""
    return lambda name: lab.experiment(name).judge(of(name).summary)


def test_every_part_and_table_of_the_page_is_filled(name: str, of: Any) -> None:
    chapter, summary = lab.experiment(name), of(name).summary
    for block in chapter.page.page.blocks:
        if block.kind == "say":
            assert "{{" not in chapter.say(summary, block.name).text, block.name
        elif block.kind == "table":
            assert len(chapter.table(summary, block.name)), block.name


def test_the_answer_has_its_numbers_and_its_figure(name: str, of: Any, figures: Any) -> None:
    chapter = lab.experiment(name)
    if chapter.page.teaching.numbers:
        found = chapter.opening(of(name).summary)
        assert len(found.numbers) == 3, "the run that is shown cannot fill all of them"
        assert found.figure_id in {figure.id for figure in figures(name)}
        for part in [*(each if isinstance(each, str) else each.seen for each in found.numbers), found.claimed]:
            for sentence in re.split(r"(?<=[.?!:;])\s", re.sub(r"\[[^]]*\]", "", part)):
                assert len(re.findall(r"\S*\w\S*", sentence)) <= LONGEST_SENTENCE, sentence


def test_every_figure_is_whole(name: str, figures: Any) -> None:
    assert figures(name)
    for figure in figures(name):
        record = figure.record()
        json.dumps(record, allow_nan=False)
        assert figure.caption.strip()
        assert figure.caption.rstrip().endswith("."), f"end the caption of {figure.id} with a full stop"
        words = len(figure.caption.split())
        assert words <= LONGEST_CAPTION, f"the caption of {figure.id} has {words} words: numbers belong into its table"
        assert not figure.finding.endswith("."), f"{figure.id}: its heading gets a full stop where it is shown"
        assert len(figure.finding.split()) <= LONGEST_FINDING, f"{figure.id}: a heading is read at a glance"
        assert figure.origin, "the line below the caption says which run it shows"
        assert not figure.origin.endswith("."), "it is half a sentence"
        assert len(figure.alt) > 40, "the alternative text says what is to be seen"
        assert figure.alt != figure.caption
        assert figure.run_id
        assert isinstance(figure.data, pd.DataFrame)
        assert len(figure.data)
        assert figure.data.columns.is_unique
        assert bool(figure.interval.strip()) == has_intervals(figure.data), (
            f"{figure.id} has interval={figure.interval!r}: name the interval where columns low and high hold its ends"
        )
        assert len(figure.data) >= FEWEST_MARKS or "claim" in figure.id, f"{figure.id}: so few marks are a sentence"
        alike = [each for each, times in Counter(map(look, listed(figure))).items() if times > 1]
        assert alike == [], f"{figure.id}: two entries of the legend look the same"
        drawn = sum(np.size(trace.x) + np.size(trace.y) for trace in figure.plot.data if trace.x is not None)
        assert drawn, "something is drawn"
        if figure.plot.layout.scattermode == "group":
            aside = [each.name for each in figure.plot.data if each.offsetgroup is None or each.orientation != "h"]
            assert aside == [], f"{figure.id}: Plotly moves these away from their values: give them of_row()"
            assert figure.plot.layout.xaxis.range, (
                f"{figure.id}: Plotly's own range cuts off intervals: give it reach()"
            )


def test_what_a_figure_shows_can_be_read_off_it(name: str, figures: Any) -> None:
    for figure in figures(name):
        told = re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)*", figure.finding)
        told = [number.rstrip(",") for number in told if number.count(".") < 2]  # a version is no number
        lacking = [number for number in told if not is_shown(number, figure)]
        assert len(lacking) <= min(1, len(told) - 1) or not told, f"{figure.id}: {lacking} in {figure.finding}"


def is_shown(number: str, figure: Figure) -> bool:
    """Whether a number stands in a figure's words or table, there also as a ratio of two values or what one is less."""
    names = [trace.name or "" for trace in figure.plot.data]
    words = " ".join([*names, figure.title, figure.caption, figure.alt, figure.data.to_csv()])
    if re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", words):
        return True
    values = figure.data.select_dtypes("number").to_numpy(dtype=float).ravel()
    values = np.unique(values[np.isfinite(values) & (values != 0)])
    either = np.concatenate([values, (values[:, None] / values).ravel()])
    near = np.concatenate([either, 100 * either, 100 * (1 - either)])
    asked = float(number.replace(",", ""))
    return bool((np.abs(near - asked) <= 0.02 * abs(asked)).any())


def listed(figure: Figure) -> list[Any]:
    """The traces that the legend names, one of each name."""
    named = {trace.name: trace for trace in figure.plot.data if trace.name and trace.showlegend is not False}
    return [trace for trace in named.values() if trace.type == "scatter" and (trace.marker.symbol or trace.line.dash)]


def look(trace: Any) -> tuple[object, ...]:
    """By what a reader tells a trace from another one."""
    marks = (trace.marker.symbol, str(trace.marker.color)) if "markers" in (trace.mode or "") else ()
    lines = (trace.line.dash, trace.line.color) if "lines" in (trace.mode or "") else ()
    return (*marks, *lines)


def test_a_caption_names_its_intervals_as_they_are(planned: str, figures: Any) -> None:
    for figure in figures(planned):
        for said in re.findall(r"Student t[a-z ]*", figure.caption):
            assert said.strip() in figure.interval, f"{figure.id}: write {{intervals}} into the caption"


def has_intervals(data: pd.DataFrame) -> bool:
    """Whether a figure's table holds the ends of an interval; the edges of a claimed region are none."""
    ends = [name for name in map(str, data.columns) if END.search(name) and not REGION.search(name)]
    return bool(data[ends].notna().to_numpy().any())


def test_figure_ids_are_unique_in_the_book(figures: Any, drawn: list[str]) -> None:
    seen = Counter(figure.id for name in drawn for figure in figures(name))
    assert seen
    assert [each for each, times in seen.items() if times > 1] == [], "rename the newer figure of each of these ids"


def test_a_lesson_says_what_the_verdicts_say_and_names_a_figure_of_its_chapter(
    name: str, of: Any, figures: Any, verdicts: Any
) -> None:
    lesson = of(name).lesson
    assert lesson.chapter == name
    assert lesson.figure_id in {figure.id for figure in figures(name)}
    assert lesson.findings or lesson.besides, "give points, or besides where the chapter has no claims"
    outcomes = {verdict.claim_id: verdict.outcome for verdict in verdicts(name)}
    for finding in lesson.findings:
        assert finding.outcome is outcomes[finding.claim_id]
    text = " ".join([lesson.title, *lesson.besides, lesson.advice, *(finding.seen for finding in lesson.findings)])
    assert not re.search(r"\bnan\b|\binf\b|[{}]", text)


def test_every_claim_of_the_chapter_gets_one_verdict(name: str, verdicts: Any) -> None:
    found = verdicts(name)
    claimed = [claim.id for claim in load_claims().values() if claim.chapter == name]
    assert sorted(verdict.claim_id for verdict in found) == sorted(claimed), "one verdict per claim of the ledger"
    for verdict in found:
        assert isinstance(verdict.outcome, Outcome)
        assert verdict.reason.strip()
        if verdict.evidence is Evidence.REPORT:
            assert (verdict.look, verdict.rests_on) == (None, "the note's own raw report")
        elif verdict.outcome in DECIDED:
            check_ground(verdict)
        assert bool(verdict.hosts) <= (verdict.estimate is None), "where hosts lie apart, no number of all is given"
        if verdict.outcome in (Outcome.REPRODUCED, Outcome.CONTRADICTED) and verdict.estimate is not None:
            assert verdict.estimate.low <= verdict.estimate.point <= verdict.estimate.high


def check_ground(verdict: Verdict) -> None:
    """A verdict says what it rests on, in how many visits and on which processors; what was counted out, nothing."""
    if load_claims()[verdict.claim_id].rule in (Rule.EXISTS, Rule.ARITHMETIC):
        assert (verdict.visits, verdict.rests_on) == (0, "")
        return
    assert verdict.rests_on.startswith(tuple(map(str, Quantity))), verdict
    if verdict.evidence is Evidence.MEASURED and not verdict.rests_on.startswith(str(Quantity.COUNTER)):
        assert verdict.visits >= 1
        assert verdict.processors
        assert verdict.look is not None
        assert all(model in verdict.rests_on for model in verdict.processors)


def test_what_a_failed_check_leaves_open_names_the_check(name: str, verdicts: Any) -> None:
    for verdict in verdicts(name):
        if verdict.outcome is Outcome.CHECK and verdict.failed:
            cause = verdict.reason.partition(reasons.UNSOUND)[2]
            assert cause.startswith(f"{verdict.failed[0]}: "), verdict.reason


def test_readme_has_the_verdicts_of_the_published_runs(drawn: list[str], shown: Any, verdicts: Any) -> None:
    claims = load_claims()
    given = [
        Judged(claims[verdict.claim_id], verdict, name)
        for name in drawn
        if name in lab.analyses() or shown(name).published
        for verdict in verdicts(name)
    ]
    text = (project.root() / "README.md").read_text("utf-8")
    marks = (re.escape(each) for each in (verdict_summary.BEGIN, verdict_summary.END))
    (found,) = re.findall("{}\n\n(.*?)\n{}".format(*marks), text, re.DOTALL)
    table = verdict_summary.brief(every_claim(claims, given))
    assert found == table, "run `benchbook verdicts --into README.md`"


def test_what_a_run_leaves_open_says_why(name: str, verdicts: Any) -> None:
    for verdict in verdicts(name):
        reason = verdict.reason.lower()
        if verdict.outcome is Outcome.DESIGN:
            assert re.search(r"mechanism was not reached: |no number of visits up to \d+ would decide it", reason), (
                reason
            )
        elif verdict.outcome in (Outcome.INCONCLUSIVE, Outcome.ONE_VISIT) and verdict.estimate is not None:
            assert re.search(r"would decide it|such outliers|visits that agree|but it has ", reason), reason
        assert not re.search(r"(?<!visit of )(?<!visits of )\b[\d,]+ blocks would decide", reason), reason


@pytest.mark.parametrize("page", numbered_pages.pages(Path(__file__).parents[2]))
def test_each_line_of_such_a_page_has_its_numbers_from_published_runs(
    page: str, root: Path, drawn: list[str], of: Callable[[str], Made]
) -> None:
    text = (root / f"{page}.md").read_text("utf-8")
    for chapter, name in numbered_pages.asked(text):
        if chapter in drawn:
            assert of(chapter).lesson.numbers[name] is not None, f"{page}: the published run has no {chapter}.{name}"
    for chapter in drawn:
        json.dumps(of(chapter).lesson.record())


def unknown(found: Asked, run: Run, table: Metrics) -> list[str]:
    """What neither a trial of the run has, nor the table of metrics for runs that do, in words."""
    known = [*run.trials.columns, *table]
    return [
        f"{', '.join(sorted(who))}: no trial has {metric}{suggestion(metric, known)}"
        for metric, who in sorted(found.items())
        if metric not in known
    ]


def test_every_metric_that_a_figure_or_the_lesson_asks_for_is_one_of_the_trials(
    measured: str, shown: Callable[[str], Run], of: Callable[[str], Made]
) -> None:
    module = lab.experiment(measured)
    run = shown(measured)
    found = of(measured).asked
    assert found
    assert unknown(found, run, module.METRICS) == [], "correct the name, or give it words"


def test_every_metric_that_is_asked_for_has_words(measured: str, of: Callable[[str], Made]) -> None:
    module = lab.experiment(measured)
    found = wordless(module.METRICS, of(measured).asked)
    assert found == [], "give it words in the metric_words.py of its family or chapter"


def test_words_of_metrics_are_those_of_a_sentence_and_a_time_or_a_size_has_its_unit(measured: str) -> None:
    module = lab.experiment(measured)
    table = module.METRICS
    assert table
    for name, metric in table.items():
        assert metric.words.strip() == metric.words != "", name
        assert "_" not in metric.axis + metric.heading, name
        assert metric.written(1.0), name
        assert metric.unit or name.endswith("_per_s") or not name.endswith(("_ns", "_s", "_bytes")), name
    columns = [metric.column for metric in table.values() if metric.heading]
    assert len(columns) == len(set(columns)), "two columns of a table could have one heading"


REPEATS = 5
LARGEST_BYTES = 100_000


def test_the_published_measurement_is_one_to_rely_on_and_names_no_folder_of_the_machine(root: Path) -> None:
    found = read(root / FILE)
    if found is None:
        pytest.skip("nothing is published yet")
    text = (root / FILE).read_text("utf-8")
    assert len(text.encode()) <= LARGEST_BYTES
    for name in ("/home/", "/root", "/tmp/", "/var/", str(root)):
        assert name not in text
    assert found.parts
    assert [part.name for part in found.parts] == [name for name in PARTS if name in {p.name for p in found.parts}]
    for part in found.parts:
        assert not part.settings.get("small"), f"{part.name} was only tried"
        assert part.commit, part.name
        assert all(len(timing.seconds) >= REPEATS for timing in part.timings), part.name
