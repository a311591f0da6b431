"""Every metric that a chapter's figures and lesson ask for is one of its trials, and has words that a reader meets.

A misspelt one would show nothing, and one without words would be called by the name of its column.
"""

from collections.abc import Callable

from asking import Asked, Made, wordless

from benchbook import lab
from benchbook.errors import suggestion
from benchbook.model import Run
from benchbook.numbers.metrics import Metrics


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
    assert unknown(found, run, module.page.module.Summary.METRICS) == [], "correct the name, or give it words"


def test_every_metric_that_is_asked_for_has_words(measured: str, of: Callable[[str], Made]) -> None:
    module = lab.experiment(measured)
    found = wordless(module.page.module.Summary.METRICS, of(measured).asked)
    assert found == [], "give it words in the metric_words.py of its family or chapter"


def test_words_of_metrics_are_those_of_a_sentence_and_a_time_or_a_size_has_its_unit(measured: str) -> None:
    module = lab.experiment(measured)
    table = module.page.module.Summary.METRICS
    assert table
    for name, metric in table.items():
        assert metric.words.strip() == metric.words != "", name
        assert "_" not in metric.axis + metric.heading, name
        assert metric.written(1.0), name
        assert metric.unit or name.endswith("_per_s") or not name.endswith(("_ns", "_s", "_bytes")), name
    columns = [metric.column for metric in table.values() if metric.heading]
    assert len(columns) == len(set(columns)), "two columns of a table could have one heading"
