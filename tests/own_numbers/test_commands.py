"""The three commands and the notebook, as a stranger with files calls them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import papermill
import public_reports
import pytest
from typer.testing import CliRunner

from benchbook.cli.commands import app

ROOT = Path(__file__).parents[2]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, code: int = 0) -> Any:
        result = CliRunner().invoke(app, list(arguments), prog_name="benchbook")
        assert result.exit_code == code, result.output
        return result

    return run


@pytest.fixture
def sides(tmp_path: Path) -> Path:
    for side, rates in (("new", (2000.0, 2020.0, 1990.0)), ("old", (1000.0, 1011.0, 995.0))):
        for place, tps in enumerate(rates):
            (tmp_path / f"{side}-{place}.log").write_text(public_reports._pgbench(tps, [tps] * 3))
    return tmp_path


NEW, OLD = ([f"{side}-{place}.log" for place in range(3)] for side in ("new", "old"))


def test_judge_says_what_repeats_then_the_ratio_and_the_answer(call: Callable[..., Any], sides: Path) -> None:
    said = call("judge", *NEW, "--against", *OLD, "--claim", ">1.5").output
    assert said.startswith("A: 3 × pgbench (new-0.log, new-1.log and new-2.log)")
    assert "What repeats: a run of pgbench" in said
    assert "Not the seconds of a run" in said
    assert "throughput: A/B 2.00 [1.9" in said
    assert "apart" in said
    assert "claimed >1.5: holds" in said
    call("judge", *NEW, "--against", *OLD, "--claim", "<1.5", code=7)
    call("judge", *NEW, "--against", *OLD, "--claim", ">2", code=8)
    call("judge", *NEW, "--against", *OLD, "--claim", "quick", code=1)
    call("judge", *NEW, code=1)
    call("judge", *NEW, "--against", "none.log", code=1)


def test_judge_prints_json_and_writes_a_page_of_one_file(call: Callable[..., Any], sides: Path) -> None:
    result = call("judge", *NEW, "--json", "--metric", "mean latency", "--against", *OLD)
    [found] = json.loads(result.stdout)
    assert (found["metric"], found["unit"], found["more_is_better"]) == ("mean latency", "ms", False)
    call("judge", *NEW, "--html", "page.html", "--against", *OLD)
    page = (sides / "page.html").read_text()
    assert "<h1>A/B 2.00" in page
    assert "https://cdn" not in page.split("plotly.js v")[0]
    call("judge", *NEW, "--html", "page.html", "--against", *NEW, code=1)


def test_diagnose_says_what_the_counters_forbid(call: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "badger.log").write_text(public_reports.KWIL)
    said = call("diagnose", "badger.log").output
    assert "It cannot be: a cache that is too small." in said
    assert "cache_sizing" in said
    assert json.loads(call("diagnose", "badger.log", "--json").stdout)["findings"]
    (tmp_path / "run.txt").write_text(public_reports._sysbench([5_100.0] * 40 + [310.0] * 10, 4_142.0))
    assert "falls at second 40" in call("diagnose", "run.txt").output
    (tmp_path / "tale.txt").write_text("once upon a time")
    call("diagnose", "tale.txt", code=1)


def test_size_prints_the_curve_and_the_size_for_a_hit_ratio(call: Callable[..., Any], tmp_path: Path) -> None:
    keys = np.random.default_rng(1).integers(0, 100, 5_000)
    (tmp_path / "keys.txt").write_text("\n".join(map(str, keys)) + "\n")
    said = call("size", "keys.txt", "--hits", "50%", "--policy", "lru", "--policy", "clock-sweep").output
    assert "5,000 references; all keys together: 100 keys" in said
    assert "50 % of hits by lru:" in said
    found = json.loads(call("size", "keys.txt", "--at", "50", "--json").stdout)
    assert found["curves"]["lru"][0]["hits"] == pytest.approx(0.5, abs=0.03)
    call("size", "keys.txt", "--policy", "magic", code=1)
    call("size", "keys.txt", "--at", "0", code=1)
    call("size", "none.txt", code=1)


def test_the_notebook_judges_files_and_diagnoses_counters(sides: Path) -> None:
    (sides / "badger.log").write_text(public_reports.KWIL)
    papermill.execute_notebook(
        ROOT / "notebooks/own_numbers.ipynb", sides / "out.ipynb", cwd=sides, kernel_name="python3", progress_bar=False,
        parameters={"first": "new-*.log", "against": "old-*.log", "claim": ">1.5", "counters": "badger.log"},
    )  # fmt: skip
    shown = (sides / "out.ipynb").read_text()
    assert "claimed >1.5: holds" in shown
    assert "It cannot be: a cache that is too small." in shown


def test_a_log_of_many_transactions_is_read_in_bounded_memory(call: Callable[..., Any], tmp_path: Path) -> None:
    second = "".join(f"0 {each} 1000 0 {{at}} {each * 100}\n" for each in range(10_000))
    for side, shift in (("a", 0), ("b", 1_000)):
        with (tmp_path / side).open("w") as file:
            for place in range(60):
                file.write(second.replace("{at}", str(1_700_000_000 + shift + place)))
    said = call("judge", "a", "--against", "b").output
    assert "A/B 1.00" in said
    assert "The first side" not in said
    assert "A always came before B" in said
