"""Every metric that a chapter's figures and lesson ask for is one of its trials, and has words that a reader meets.

A misspelt one would show nothing, and one without words would be called by the name of its column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from asking import Asked, Made, asked, wordless

from benchbook import lab
from benchbook.drawing.marks import blank
from benchbook.errors import BenchbookError, suggestion
from benchbook.experiments import parts
from benchbook.figures import Figure
from benchbook.model import Run
from benchbook.numbers.metrics import Metrics
from benchbook.parameters.kinds import Kind


def unknown(found: Asked, run: Run, table: Metrics) -> list[str]:
    """What neither a trial of the run has, nor the table of metrics for runs that do, in words."""
    known = [*run.trials.columns, *table]
    return [
        f"{', '.join(sorted(who))}: no trial has {metric}{suggestion(metric, known)}"
        for metric, who in sorted(found.items())
        if metric not in known
    ]


def test_every_metric_that_a_figure_or_the_lesson_asks_for_is_one_of_the_trials(
    planned: str, shown: Callable[[str], Run], of: Callable[[str], Made]
) -> None:
    module = lab.experiment(planned)
    if module.kind is Kind.SIMULATION:
        pytest.skip("its numbers are rows of its own, not metrics of trials")
    run = shown(planned)
    found = of(planned).asked
    assert found
    assert unknown(found, run, module.page.module.Summary.METRICS) == [], "correct the name, or give it words"


def test_every_metric_that_is_asked_for_has_words(planned: str, of: Callable[[str], Made]) -> None:
    module = lab.experiment(planned)
    if module.kind is Kind.SIMULATION:
        pytest.skip("its numbers are rows of its own, not metrics of trials")
    found = wordless(module.page.module.Summary.METRICS, of(planned).asked)
    assert found == [], "give it words in the metric_words.py of its family or chapter"


def test_words_of_metrics_are_those_of_a_sentence_and_a_time_or_a_size_has_its_unit(planned: str) -> None:
    module = lab.experiment(planned)
    if module.kind is Kind.SIMULATION:
        pytest.skip("its numbers are rows of its own, not metrics of trials")
    table = module.page.module.Summary.METRICS
    assert table
    for name, metric in table.items():
        assert metric.words.strip() == metric.words != "", name
        assert "_" not in metric.axis + metric.heading, name
        assert metric.written(1.0), name
        assert metric.unit or name.endswith("_per_s") or not name.endswith(("_ns", "_s", "_bytes")), name
    columns = [metric.column for metric in table.values() if metric.heading]
    assert len(columns) == len(set(columns)), "two columns of a table could have one heading"


def test_a_misspelt_metric_is_found_with_the_figure_that_asks_for_it(
    shown: Callable[[str], Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    module: Any = lab.experiment("hot_cold_keys")
    run = shown("hot_cold_keys")

    def misspelt(summary: Any) -> Figure:
        try:
            summary.level("same_keys", "p90_ns")
        except BenchbookError:
            return blank(summary, "fig-misspelt", "Misspelt", "Nothing was timed", "measure again")
        raise AssertionError("there is no such metric")

    monkeypatch.setitem(parts.module(module.package).FIGURES, "misspelt", misspelt)
    (line,) = unknown(asked(module, run), run, {})
    assert line == "figure misspelt: no trial has p90_ns (did you mean 'p99_ns'?)"
