"""Files of other tools: told apart, read, refused; and what is said of two sides of them."""

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import public_reports
import pytest

from benchbook.errors import BenchbookError
from benchbook.own_numbers import files, report
from benchbook.own_numbers.judged import Claimed, Word


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return public_reports.written(tmp_path_factory.mktemp("public"))


def asked(first: list[Path], against: list[Path], **how: object) -> report.Answer:
    return report.answer(first, list(map(str, against)), **how)


def log(
    path: Path, tps: int, *, seconds: int = 30, start: int = 1_700_000_000, columns: int = 6, seed: int = 1
) -> Path:
    """A log of transactions: so many a second, of a thousand microseconds or so each."""
    draw = np.random.default_rng(seed)
    rows = []
    for second in range(seconds):
        for end in np.sort(draw.integers(0, 1_000_000, tps)):
            rows.append(f"{draw.integers(4)} {len(rows)} {draw.integers(900, 1_100)} 0 {start + second} {end}")
    path.write_text("".join(f"{row}{' 12 0'[: 2 * (columns - 6) + (columns > 6)]}\n" for row in rows))
    return path


FORMATS = {
    "pgbench 13": "pgbench", "sysbench table": "table", "sysbench course": "sysbench", "hyperfine 1brc": "hyperfine",
    "pyperf py36": "pyperf", "google run1": "google-benchmark", "clickbench AlloyDB": "clickbench",
    "hammerdb": "hammerdb",
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_what_wrote_a_file_is_told_apart_by_its_content(public: dict[str, Path], name: str) -> None:
    assert files.told_apart(public[name]) == FORMATS[name]


def test_one_run_a_side_cannot_tell_whatever_the_difference(public: dict[str, Path]) -> None:
    answer = asked([public["pgbench 18"]], [public["pgbench 13"]], claim="<1")
    [one] = answer.found
    assert (one.word, one.ratio, answer.outcomes) == (Word.UNKNOWN, None, {Claimed.OPEN})
    assert one.point == pytest.approx(0.9592, abs=1e-4)
    assert "One a side: three or more would give an interval" in "\n".join(answer.lines)


def turns(public: dict[str, Path], folder: Path) -> Path:
    """The table, each of whose rows is of a block of its own."""
    rows = pd.read_csv(public["sysbench table"])
    rows.assign(block=rows.groupby("configuration").cumcount()).to_csv(folder / "turns.csv", index=False)
    return folder / "turns.csv"


def test_turns_of_a_public_report_are_apart_in_their_visit(public: dict[str, Path], tmp_path: Path) -> None:
    answer = report.answer([public["sysbench table"]], ["base"], configuration="afdoltob")
    [one] = answer.found
    assert one.ratio is not None
    assert one.how == "paired by block"
    assert one.point == pytest.approx(1.0318, abs=1e-4)
    assert one.needed == 3  # two blocks of two
    [one] = report.answer([turns(public, tmp_path)], ["base"], configuration="afdoltob").found
    assert one.word in {Word.APART_HERE, Word.SAME_HERE}
    assert one.ratio.low > 1.02


def test_the_other_configuration_of_two_need_not_be_named(public: dict[str, Path]) -> None:
    [one] = report.answer([public["sysbench table"]]).found
    assert one.point == pytest.approx(1 / 1.0318, abs=1e-4)  # the table's first against its second


def test_processes_repeat_and_their_samples_do_not(public: dict[str, Path]) -> None:
    [one] = asked([public["pyperf py37"]], [public["pyperf py36"]]).found
    assert one.first.values.size == 20
    assert one.first.within == "the samples that one process took"
    assert one.ratio.low < 2.09 / 2.13 < one.ratio.high
    assert one.order == "The other side always came before the first: order and change cannot be told apart."
    assert one.word in {Word.SAME_HERE, Word.APART_HERE}


def test_one_process_a_side_is_one_repetition_and_its_samples_are_told_apart_from_it(tmp_path: Path) -> None:
    for name, scale in (("a", 1.0), ("b", 1.2)):
        times = [scale * each for each in (90.0, 181.0, 272.0, 359.0, 452.0)]
        (tmp_path / name).write_text(
            json.dumps({"sampling_mode": "Linear", "iters": [1.0, 2.0, 3.0, 4.0, 5.0], "times": times})
        )
    answer = asked([tmp_path / "b"], [tmp_path / "a"])
    [one] = answer.found
    assert one.word is Word.UNKNOWN
    assert one.within.point == pytest.approx(1.2)
    assert "Within these two processes" in "\n".join(answer.lines)


def test_all_benchmarks_of_a_file_are_judged_and_those_of_one_side_left_out(public: dict[str, Path]) -> None:
    found = asked([public["google run2"]], [public["google run1"]]).found
    assert {one.first.benchmark: round(one.point, 3) for one in found} == {
        "BM_SameTimes": 1.0, "BM_2xFaster": 0.5, "BM_2xSlower": 2.0, "BM_10PercentSlower": 1.1,
    }  # fmt: skip
    queries = asked([public["clickbench AlloyDB (tuned)"]], [public["clickbench AlloyDB"]]).found
    assert len(queries) == 12
    assert queries[0].point == pytest.approx(7.110 / 0.044)


def test_a_course_says_whether_a_run_was_steady_and_where_it_fell(public: dict[str, Path], tmp_path: Path) -> None:
    assert report.went(_only(public["sysbench course"]), "A") == ["A, of 1 runs: 1 steady after a rise."]
    fallen = tmp_path / "fallen.txt"
    fallen.write_text(
        public_reports._sysbench([5_100.0 + 10 * (place % 3) for place in range(40)] + [310.0] * 10, 4_499.0)
    )
    [_, fell] = report.went(_only(fallen), "A")
    assert fell.startswith("A: fallen.txt falls at second 40")
    assert "to 3" in fell


def _only(path: Path) -> object:
    return files._read([path], "")[""][0]


@pytest.mark.parametrize("columns", [6, 7, 8])
def test_logs_of_transactions_give_what_was_done_in_a_second_and_how_long_it_took(tmp_path: Path, columns: int) -> None:
    path = log(tmp_path / "pgbench_log.7", 200, columns=columns)
    series = {each.metric: each for each in files._read([path], "")[""]}
    assert series["throughput"].values[0] == pytest.approx(200, rel=0.01)
    assert series["mean latency"].values[0] == pytest.approx(1.0, rel=0.01)
    assert series["P99"].values[0] == pytest.approx(1.098, rel=0.01)
    assert series["throughput"].repetitions[0].course.tolist() == [200.0] * 28


def test_the_files_of_a_runs_threads_are_one_run(tmp_path: Path) -> None:
    both = [log(tmp_path / name, 100, seed=seed) for seed, name in enumerate(("pgbench_log.7", "pgbench_log.7.1"))]
    [throughput, *_] = files._read(both, "")[""]
    assert throughput.values.tolist() == pytest.approx([200], rel=0.01)


def test_six_columns_of_intervals_are_not_read_as_transactions(tmp_path: Path) -> None:
    path = tmp_path / "aggregated"
    path.write_text("".join(f"{1345828501 + 10 * each} 5600 1540000 483552416 61 2573\n" for each in range(30)))
    assert files.told_apart(path) == "pgbench-intervals"
    series = {each.metric: each for each in files._read([path], "")[""]}
    assert series["throughput"].values.tolist() == [560.0]
    assert series["mean latency"].values[0] == pytest.approx(0.275)


def test_runs_that_took_turns_are_paired_in_the_order_of_time(tmp_path: Path) -> None:
    rates = {"a": (220, 244, 231, 226), "b": (200, 220, 210, 205)}
    for place in range(4):
        for side, at in (("a", 2 * place), ("b", 2 * place + 1)):
            log(tmp_path / f"{side}{place}", rates[side][place], start=1_700_000_000 + 100 * at)
    [one] = asked(sorted(tmp_path.glob("a*")), sorted(tmp_path.glob("b*"))).found
    assert one.how == "paired in the order of time"
    assert one.order == "The sides took turns."
    assert one.ratio.point == pytest.approx(1.103, rel=0.01)


def test_several_runs_in_one_output_are_several_repetitions(tmp_path: Path) -> None:
    path = tmp_path / "all.txt"
    path.write_text("".join(public_reports._pgbench(tps, [tps] * 3) for tps in (1000.0, 1010.0, 990.0)))
    [throughput, latency] = files._read([path], "")[""]
    assert throughput.values.tolist() == [1000.0, 1010.0, 990.0]
    assert latency.values.size == 3
    old = tmp_path / "old.txt"
    old.write_text(
        "tps = 900.1 (including connections establishing)\ntps = 950.2 (excluding connections establishing)\n"
    )
    assert files._read([old], "")[""][0].values.tolist() == [950.2]
    old.write_text(3 * old.read_text())
    assert files._read([old], "")[""][0].values.tolist() == [950.2] * 3
    (tmp_path / "sysbench").write_text(
        "    transactions:  9  (3.5 per sec.)\nThroughput:\n    events/s (eps):   3.5001\n" * 2
    )
    assert files._read([tmp_path / "sysbench"], "")[""][0].values.tolist() == [3.5, 3.5]
    (tmp_path / "grep").write_text("tps = 900.1 (without initial connection time)\n" * 2)
    assert files._read([tmp_path / "grep"], "")[""][0].values.tolist() == [900.1] * 2


WRONG = {
    "empty": (b"", "is empty"),
    "packed": (gzip.compress(b"tps = 1.0 (x)\n"), "is packed"),
    "binary": (b"\x7fELF\0\0", "is no text"),
    "cut JSON": (b'{"results": [{"command": "a", "times": [0.1, 0.2', "cut or damaged JSON"),
    "failed": (b'{"results": [{"command": "a", "times": [0.1], "exit_codes": [1]}]}', "1 of 1 runs of a failed"),
    "NaN": (b"configuration,value\na,1.0\nb,nan\n", "the value of row 2 is nan"),
    "text": (b"configuration,value\na,1.0\nb,fast\n", "the value of row 1 is '1.0'"),
    "units": (b"configuration,value,unit\na,1.0,ms\na,2.0,s\nb,1.0,ms\n", "values of a are in 'ms' and 's'"),
    "unknown": (b"once upon a time\n", "like no known format"),
    "aggregates": (
        b'{"benchmarks": [{"name": "x", "run_type": "aggregate", "real_time": 1}], "context": {}}',
        "aggregates alone",
    ),
    "other columns": (b"0 1175850568 2241 0 199 995598\n", "like no known format"),
    "cut log": (b"0 199 2241 0 1175850568 995598\n0 200 22", "ends within a line"),
    "another version": (b'{"version": "2.0", "benchmarks": []}', "format 2.0"),
    "no result": (b"starting vacuum...end.\nprogress: 1.0 s, 0.0 tps, lat 0 ms\n", "no number above 0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_judged_is_refused_with_what_is_wrong(tmp_path: Path, name: str) -> None:
    content, problem = WRONG[name]
    path = tmp_path / "given.txt"
    path.write_bytes(content)
    with pytest.raises(BenchbookError) as refused:
        report.answer([path], [str(path)] if name not in {"NaN", "text", "units"} else [])
    assert problem in refused.value.problem
    assert refused.value.mend


def test_sides_of_two_units_or_without_a_common_benchmark_are_refused(public: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(BenchbookError, match="no benchmark in common"):
        asked([public["google run1"]], [public["clickbench AlloyDB"]])
    for unit in ("ms", "s"):
        (tmp_path / unit).write_text(f"value,unit\n1.0,{unit}\n")
    with pytest.raises(BenchbookError, match="bring both to one unit"):
        asked([tmp_path / "ms"], [tmp_path / "s"])
    with pytest.raises(BenchbookError, match="give files of one tool with one unit"):
        asked([tmp_path / "ms", tmp_path / "s"], [tmp_path / "s"])


def test_a_parquet_table_and_one_with_semicolons_are_read_as_a_csv(public: dict[str, Path], tmp_path: Path) -> None:
    rows = pd.read_csv(public["sysbench table"])
    rows.to_parquet(tmp_path / "t.parquet")
    rows.to_csv(tmp_path / "t.csv", sep=";", index=False)
    points = [report.answer([path], ["base"], configuration="afdoltob").found[0].point for path in tmp_path.iterdir()]
    assert points == pytest.approx([1.0318] * 2, abs=1e-4)


PAGE = (Path(__file__).parents[2] / "book" / "own_numbers.md").read_text("utf-8")


def test_the_page_says_of_public_reports_what_is_judged_of_them(public: dict[str, Path], tmp_path: Path) -> None:
    answers = [
        asked([public["pgbench 18"]], [public["pgbench 13"]]),
        report.answer([turns(public, tmp_path)], ["base"], configuration="afdoltob"),
        asked([public["hyperfine 1brc"]], [public["hyperfine lucretiel_1brc"]]),
        asked([public["pyperf py37"]], [public["pyperf py36"]]),
    ]
    for answer in answers:
        assert report.amount(answer.found[0]).removesuffix(" [no interval]") in PAGE
        assert str(answer.found[0].word).removesuffix(" in this visit") in PAGE


def test_every_format_has_its_line_on_the_page() -> None:
    assert [name for name in files.FORMATS if f"| `{name}` |" not in PAGE] == []
