"""A run of two blocks shows points: no interval in a figure, a sentence, a verdict or a table, and no finding."""

import re

from benchbook import lab, store
from benchbook.figures import intervals_said, with_interval
from benchbook.model import Effect, Estimate, Run
from benchbook.statistics import geometric_mean, ratio, share

BRACKETS = re.compile(r"\d \[[-\d]")


def of_two_blocks() -> list[Run]:
    """Published runs of two blocks, each of another chapter."""
    found = {}
    for each in (each for each in store.catalogue() if each.published and each.record):
        name, record = each.folder.parent.name, each.record
        if record["blocks"] == 2 and record["measurement_version"] == lab.experiment(name).version:
            found[name] = each.folder
    return [store.read_run(folder, published=True) for folder in [*found.values()][:4]]


def test_a_number_of_two_blocks_is_written_without_an_interval() -> None:
    two, three = ratio([2.0, 3.0], [1.0, 1.1]), ratio([2.0, 3.0, 2.5], [1.0, 1.1, 1.0])
    assert two.bare
    assert with_interval(two) == "2.34"
    assert not three.bare
    assert "[" in with_interval(three)
    assert intervals_said([two]) == "no intervals"
    assert intervals_said([two, three]) == "95 % intervals"
    assert geometric_mean([2.0, 3.0]).bare
    assert not share([0.5, 0.5], 100).bare, "the resolution of counts holds for one trial"
    assert not Estimate(3.0, 3.0, 3.0, 2, "counted").bare
    assert not Effect(2.0, 1.5, 2.5, 8, "Student t on paired log differences").bare


def test_no_figure_and_no_verdict_of_two_blocks_has_an_interval() -> None:
    runs = of_two_blocks()
    assert runs
    for run in runs:
        chapter = lab.experiment(run.experiment)
        summary = chapter.summarize(run)
        for figure in chapter.figures(summary).values():
            assert figure.finding == "", figure.id
            assert "95 % intervals" not in figure.caption, figure.id
            assert figure.data.reindex(columns=["low", "high"]).isna().all(axis=None), figure.id
        for verdict in chapter.judge(summary):
            if verdict.estimate is not None and verdict.estimate.bare:
                assert not BRACKETS.search(verdict.reason.partition(";")[0]), verdict.claim_id
