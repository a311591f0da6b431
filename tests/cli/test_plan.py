"""``plan``: what a pilot run says about the blocks, trials and minutes of a half-width."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sealing
from representatives import is_long
from scipy import stats
from test_bad_input import refused

from benchbook import lab, statistics, store
from benchbook.cli import formatting, pilot, pilot_run
from benchbook.errors import BenchbookError
from benchbook.experiments import chosen_runs
from benchbook.numbers import quantities as numbers
from benchbook.parameters.kinds import Kind
from benchbook.store import schema

ROOT = Path(__file__).parents[2]
RUN = "ef84e30ccc3d-20261123T164543"
OLDER = "0bec941daa85-20261121T010129"
PLAN = ("plan", "hot_cold_keys")
P50 = (*PLAN, "--metric", "p50_ns")

Change = Callable[[pd.DataFrame], pd.DataFrame]


def give(home: Path, run: str, change: Change | None = None) -> None:
    """Publish a run of this repository in the test's project, its trials changed and sealed again."""
    folder = sealing.publish_copy(ROOT / "data" / "published" / "hot_cold_keys" / run, home)
    if change is None:
        return
    trials = folder / schema.TRIALS
    change(pd.read_parquet(trials)).to_parquet(trials)
    sealing.reseal(folder)
    sealing.list_published(home)


def planted(trials: pd.DataFrame) -> pd.DataFrame:
    """Every P50 is 1,000 ns but for one configuration, whose logs lie 0.1 apart from block to block."""
    trials["p50_ns"] = trials["p50_ns"].where(trials["p50_ns"].isna(), 1000.0)
    rows = trials["configuration"] == "disjoint"
    trials.loc[rows, "p50_ns"] = 2000.0 * np.exp(0.1 * (trials.loc[rows, "block"] % 2))
    trials["duration_s"] = 6.0
    began = pd.Timestamp("2026-01-17T10:00:00+00:00") + pd.to_timedelta(6.0 * np.arange(len(trials)), unit="s")
    trials["started_at"] = [each.isoformat() for each in began]
    return trials


@pytest.mark.parametrize(
    ("text", "value"), [("2%", 0.02), ("2 %", 0.02), (" 0.02 ", 0.02), ("0.5%", 0.005), ("99%", 0.99), ("1e-3", 0.001)]
)
def test_a_half_width_is_a_share_or_a_percentage(text: str, value: float) -> None:
    assert formatting.share(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "%", "two", "0", "0%", "-1%", "1", "100%", "200 %", "nan", "inf", "nan%", "2%%"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(BenchbookError, match="not a half-width") as caught:
        formatting.share(text)
    assert "2%" in caught.value.mend


def test_a_percentage_without_its_sign_is_suggested() -> None:
    with pytest.raises(BenchbookError, match=r"did you mean 5%\?"):
        formatting.share("5")


def test_blocks_trials_and_minutes_follow_from_the_pilots_spread(home: Path, benchbook: Any) -> None:
    give(home, RUN, planted)
    said = benchbook(*P50, "--half-width", "2%").stdout
    # The log ratios are 0.1 and 0 in turn: their sd over 6 blocks is 0.1 * sqrt(1.5 / 5).
    sd = 0.1 * np.sqrt(1.5 / 5)
    row = next(line for line in said.splitlines() if re.match(r"p50_ns +disjoint ", line))
    half = np.expm1(stats.t.ppf(0.975, 5) * sd / np.sqrt(6))
    assert f"2.10 [1.99, 2.23]  {100 * half:.3g} %" in row
    needed = re.search(r"±2 % for all of them: (\d+) blocks in all, ([\d,]+) trials, about (\S+) minutes", said)
    assert needed
    blocks = int(needed[1])
    reach = [stats.t.ppf(0.975, n - 1) * sd / np.sqrt(n) for n in (blocks - 1, blocks)]
    assert reach[1] <= np.log(1.02) < reach[0]
    assert int(needed[2].replace(",", "")) == 49 * blocks
    assert float(needed[3]) == pytest.approx(49 * blocks * 6 / 60, abs=0.5)
    assert "(p50_ns, disjoint, takes most)" in said
    assert "measure that many, and do not look in between" in said
    again = next(line for line in said.splitlines() if re.match(r"p50_ns +same_keys_again ", line))
    assert again.split()[2:] == ["1", "0", "%", "2", "2", "2", "2"]
    assert "same_keys_again" not in benchbook(*P50, "--arm", "disjoint").stdout


def test_the_table_has_the_four_half_widths_and_the_one_asked_for(home: Path, benchbook: Any) -> None:
    give(home, RUN)
    for named, first, rows in (([], "number", "network_least"), (["--metric", "p99_ns"], "metric", "p99_ns")):
        result = benchbook(*PLAN, *named, "--half-width", "0.03", code=0)
        head = next(line for line in result.stdout.splitlines() if line.startswith(f"{first} "))
        assert re.findall(r"±(\d+) %", head) == ["1", "2", "3", "5", "10"]
        assert re.search(rf"^{rows} ", result.stdout, re.MULTILINE)
        assert f"pilot {RUN}, 6 blocks of 49 trials" in result.stdout


def test_planned_are_the_numbers_that_the_chapter_begins_with(home: Path, lru: str, benchbook: Any) -> None:
    found = json.loads(benchbook("plan", "lru", "--half-width", "3%", "--json").stdout)
    assert found["pilot"] == lru
    chapter, names = lab.experiment("lru"), [each["number"] for each in found["numbers"]]
    assert "gain_zipf" in names
    assert names == [name for name in pilot.first_screen(chapter) if name in names]
    own = chapter.summarize(store.read_run(home / "data/published/lru" / lru, published=True))
    for each in found["numbers"]:
        estimate = numbers.estimate(own, each["number"], chapter.page.names.numbers[each["number"]])
        assert each["now"]["point"] == pytest.approx(estimate.point)
        wide = statistics.predicted(estimate, each["blocks_needed"])
        assert wide is None or wide[1] / estimate.point - 1 <= 0.03 or wide[1] - estimate.point <= 0.03
    one = json.loads(benchbook("plan", "lru", "--number", "O059", "--json").stdout)
    assert [each["number"] for each in one["numbers"]] == ["gain_zipf"]
    assert "did you mean 'gain_zipf'?" in refused(benchbook("plan", "lru", "--number", "gain_zip"))[0]


MEASURED = [
    pytest.param(name, marks=[pytest.mark.long] if is_long(name) else [])
    for name in lab.names()
    if lab.experiment(name).kind is Kind.MEASUREMENT
]
"""Every test run plans a chapter of each family, and the long one the others."""


@pytest.mark.parametrize("name", MEASURED)
def test_every_chapter_that_measures_can_be_planned_by_its_own_numbers(name: str) -> None:
    chapter = lab.experiment(name)
    found = chosen_runs.run(chapter)
    if found is None:
        pytest.skip(f"no run of {name} is published")
    aims = pilot.numbers(chapter, found, [])
    assert aims
    worst, blocks = pilot.widest(aims, 0.5)
    assert worst in aims
    assert blocks is None or blocks >= 2
    assert {each.name for each in aims} <= set(chapter.page.names.numbers)


def test_blocks_that_a_half_width_lacks_are_those_of_the_plan(lru: str) -> None:
    chapter, asked = lab.experiment("lru"), pilot_run.Asked()
    lacks = pilot_run.lacking(chapter, asked, 0.03, [])
    found = pilot_run.newest(chapter, asked)
    assert lacks.blocks == (pilot.widest(pilot.numbers(chapter, found, []), 0.03)[1] or 0) - found.blocks
    assert "gain_zipf" in lacks.numbers
    assert lacks.said(0.03).startswith(f"{lacks.blocks} blocks")
    assert lacks.said(0.03).endswith(f"for ±3 % of {', '.join(lacks.numbers)}")
    assert pilot_run.lacking(chapter, asked, 99.0, []).blocks == 0
    with pytest.raises(BenchbookError, match=r"needs more than the 1,000 blocks"):
        pilot_run.lacking(chapter, asked, 1e-6, [])


def test_a_run_of_an_earlier_version_counts_only_when_it_is_named(home: Path, benchbook: Any) -> None:
    give(home, OLDER)
    problem, mend = refused(benchbook(*PLAN))
    assert "no complete run of hot_cold_keys with these parameters" in problem
    assert "--profile quick" in mend
    assert f"pilot {OLDER}" in benchbook(*P50, "--run", OLDER[:12], code=0).stdout


def test_other_parameters_are_another_pilot_but_blocks_and_seed_are_not(home: Path, benchbook: Any) -> None:
    give(home, RUN)
    assert benchbook(*PLAN, "-p", "blocks=40", "-p", "seed=1").exit_code == 0
    assert "these parameters" in refused(benchbook(*PLAN, "-p", "n_tables=3"))[0]
    refused(benchbook(*PLAN, "--profile", "quick"))


def missing(trials: pd.DataFrame) -> pd.DataFrame:
    trials.loc[trials.index[trials["configuration"] == "disjoint"][:3], "p99_ns"] = np.nan
    return trials


def test_a_metric_that_is_missing_in_a_trial_is_named_and_never_dropped_silently(home: Path, benchbook: Any) -> None:
    give(home, RUN, missing)
    problem, mend = refused(benchbook(*PLAN, "--metric", "p99_ns"))
    assert "in 3 of 78 trials" in problem
    assert "leave out --metric" in mend


def of_two(trials: pd.DataFrame) -> pd.DataFrame:
    """A metric of two configurations, of which the plan's first is none."""
    names = list(dict.fromkeys(trials["configuration"]))
    first = next(iter(lab.experiment("hot_cold_keys").configurations(lab.experiment("hot_cold_keys").Parameters())))
    own = [name for name in names if name != first][:2]
    values = 1000.0 + trials["block"] + trials["configuration"].eq(own[0])
    return trials.assign(rare_ns=values.where(trials["configuration"].isin(own)))


def test_a_metric_that_the_first_configuration_lacks_is_planned_for_the_others(home: Path, benchbook: Any) -> None:
    give(home, RUN, of_two)
    benchbook(*PLAN, "--metric", "rare_ns", code=0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda trials: trials.iloc[1:], "blocks that lack a configuration"),
        (lambda trials: pd.concat([trials, trials.iloc[:1]]), "a configuration twice in one block"),
        (lambda trials: trials[trials["block"] == 0], "has 1 block, and a spread between blocks needs two"),
        (lambda trials: trials[trials["configuration"] == "disjoint"], "one configuration"),
        (lambda trials: trials.assign(configuration=trials["configuration"] + "_old"), "not planned any more"),
        (lambda trials: trials.drop(columns=["p50_ns", "p99_ns"]), "no metric 'p50_ns'"),
        (lambda trials: trials.assign(p50_ns=0.0, p99_ns=-1.0), "not above 0 in 294 of 294 trials"),
    ],
)
def test_a_run_that_is_no_pilot_is_refused(home: Path, benchbook: Any, change: Change, words: str) -> None:
    give(home, RUN, change)
    problem, mend = refused(benchbook(*P50))
    assert words in problem
    assert len(mend) > len("fix: ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("plan", "hot_cold_key"), "(did you mean 'hot_cold_keys'?)"),
        ((*PLAN, "--half-width", "2"), "did you mean 2%?"),
        ((*PLAN, "--metric", "p99_n"), "(did you mean 'p99_ns'?)"),
        ((*PLAN, "--metric", "cache_state"), "no metric 'cache_state'"),
        ((*PLAN, "--metric", "block"), "no metric 'block'"),
        ((*PLAN, "--run", "abc"), "no run 'abc' is stored here"),
        ((*PLAN, "--profile", "quik"), "there is no profile 'quik'"),
        (("plan", "lru", "--run", RUN), "is one of hot_cold_keys, not of lru"),
        (("plan", "calibration"), "calibration measures nothing"),
        ((*PLAN, "--number", "network_mos"), "network_most"),
    ],
)
def test_what_is_wrong_is_said_by_name(home: Path, benchbook: Any, arguments: list[str], words: str) -> None:
    give(home, RUN)
    assert words in refused(benchbook(*arguments))[0]
