"""Whatever is wrong, too long or no file is said in two short lines before anything starts; nothing is written."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchbook.book.records import figure_list
from benchbook.errors import LONGEST
from benchbook.experiments import catalogue

RUN = ("run", "hot_cold_keys")
NAME = "n" * 300


def refused(result: Any) -> tuple[str, str]:
    """The problem and the mend of a command that failed as it should: short, foreseen, and in two lines."""
    assert result.exit_code in (1, 3, 5), result.stdout + result.stderr
    problem, mend = result.stderr.strip().splitlines()
    assert problem.startswith("error: ")
    assert mend.startswith("fix: ")
    assert len(mend) > len("fix: ")
    assert "unforeseen" not in problem
    assert len(problem) < LONGEST + 20
    return problem, mend


@pytest.fixture(autouse=True)
def unchanged(module_home: Path) -> Iterator[None]:
    """Whatever is refused leaves the project, whose book has a figure, as it was."""
    figures = module_home / "book" / "chapters" / figure_list.FIGURES_FILE
    figures.parent.mkdir(parents=True, exist_ok=True)
    record = {"id": "fig-small", "plot": {}, "data": {"columns": [], "data": []}}
    figures.write_text(json.dumps([record]))

    def content() -> dict[str, tuple[int, int]]:
        found = [path for path in module_home.rglob("*") if path.is_file() and module_home / "tmp" not in path.parents]
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in found}

    before = content()
    yield
    assert content() == before


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["n_table=3"], "unknown parameter 'n_table' (did you mean 'n_tables'?)"),
        (["shared_buffer_mib=3", "blcks=2"], "(did you mean 'shared_buffers_mib'?), 'blcks' (did you mean 'blocks'?)"),
        (["n_tables=many"], "n_tables='many'"),
        (["n_tables={a: 1}"], "n_tables={'a': 1}"),
        (["n_tables=2.5"], "n_tables=2.5"),
        (["n_tables="], "n_tables=None"),
        (["n_tables=true"], "n_tables=True"),
        (["hot_shares_percent=80"], "hot_shares_percent=80: input should be a list"),
        (["hot_shares_percent=[80,true]"], "hot_shares_percent=[80, True]"),
        (["hot_shares_percent=[80,yes]"], "hot_shares_percent.1='yes': input should be a valid integer"),
        (["n_tables=0x10"], "n_tables='0x10': input should be a valid integer"),
        (["n_tables=0b1"], "n_tables='0b1': input should be a valid integer"),
        (["n_tables=1:30"], "n_tables='1:30': input should be a valid integer"),
        (["blocks=4", "n_tables=3", "blocks=6"], "'blocks' is set twice with -p"),
        (["class=1"], "unknown parameter 'class'"),
        (["a b=1"], "unknown parameter 'a b'"),
        (["_n_tables=1"], "unknown parameter '_n_tables'"),
        (["In=1"], "unknown parameter 'In'"),
        (["zipf_exponents=[.nan]"], "zipf_exponents.0=nan"),
        (["zipf_exponents=[.inf]"], "zipf_exponents.0=inf"),
        (["zipf_exponents=[0.99,0.99000001]"], "names a value twice"),
        (["client_mode=parallel"], "client_mode='parallel'"),
        (["n_tables=0"], "n_tables=0: input should be greater than or equal to 1"),
        (["blocks=1"], "blocks=1: input should be greater than or equal to 2"),
        (["n_tables=0", "blocks=1"], "blocks=1: input should be greater than or equal to 2; n_tables=0"),
        (["hot_set_keys=500000"], "hot_set_keys=500,000 exceeds the key space of rows_per_table=100,000"),
        (["large_pool_mib=8"], "large_pool_mib=8 is smaller than shared_buffers_mib=2048"),
    ],
)
def test_wrong_parameters_are_refused_by_name(benchbook: Any, settings: list[str], words: str) -> None:
    assert words in refused(benchbook(*RUN, *(part for setting in settings for part in ("-p", setting))))[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "hot_cold_key"), "(did you mean 'hot_cold_keys'?)"),
        (("show", "hot_cold_key"), "(did you mean 'hot_cold_keys'?)"),
        (("runs", "hot_cold_key"), "(did you mean 'hot_cold_keys'?)"),
        ((*RUN, "--profile", "quik"), "there is no profile 'quik' (did you mean 'quick'?)"),
        ((*RUN, "-f", "absent.yaml"), "there is no parameter file absent.yaml"),
        (("publish", "abc"), "no run 'abc' is stored here"),
        (("verify", "abc"), "no run 'abc' is stored here"),
        (("run", "--all", "--profile", "quik"), "there is no profile 'quik'"),
        (("run", "../hot_cold_keys"), "there is no experiment '../hot_cold_keys'"),
        (("run", "hot_cold_keys\0"), "there is no experiment"),
        (("run", ""), "there is no experiment ''"),
        ((*RUN, "--profile", "../quick"), "there is no profile '../quick'"),
        (("publish", "../../etc"), "no run '../../etc' is stored here"),
        (("cite", "fig-nothing", "--format", "word"), "there is no citation format 'word'"),
        (("data", "fig-nothing", "--out", "/etc"), "/etc is a folder"),
        (("verdicts", "--note", "005"), "there is no note '005' (did you mean '00"),
        (("verdicts", "--chapter", "hot_cold_key"), "(did you mean 'hot_cold_keys'?)"),
        (("verdicts", "--outcome", "wrng"), "(did you mean 'wrong'?)"),
        (("verdicts", "--outcome", ""), "there is no outcome ''"),
    ],
)
def test_names_that_do_not_exist_are_refused(benchbook: Any, arguments: list[str], words: str) -> None:
    assert words in refused(benchbook(*arguments))[0]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("run lru --another-host", "give --blocks +N"),
        ("run scale --blocks +2 --fresh", "leave out --fresh"),
        ("run scale --blocks +2 --stored", "leave out --fresh"),
        ("run scale --half-width 3% --fresh", "leave out --fresh"),
        ("run cost --fresh --stored", "--stored measures nothing"),
        ("run lru --number gain_zipf", "give --half-width"),
        ("run lru --window 60s", "give --tables"),
        ("build --edition --local", "nothing from this machine"),
        ("build --edition --profile quick", "nothing from this machine"),
        ("bench --small", "name a file with --out"),
        ("clean --yes", "give it with --server"),
        ("combine lru --forest a.html", "name it with --number"),
        ("plan lru --run x -p blocks=3", "leave out -p, -f and --profile"),
        ("plan lru --number gain_zipf --metric tps", "not both"),
        ("plan lru --arm zipf_large", "name a --metric"),
        ("plan lru --because four", "and --fix with it"),
        ("replicate", "or give --all"),
        ("replicate lru --all", "or give --all"),
        ("replicate lru --budget 1m --blocks 3", "give one of blocks"),
        ("replicate --all --budget 1h --precision 3%", "give one of blocks"),
    ],
)
def test_options_that_contradict_each_other_are_a_wrong_use(benchbook: Any, line: str, words: str) -> None:
    assert words in " ".join(benchbook(*line.split(), code=2).stderr.replace("│", " ").split())


def test_too_little_disk_is_said_before_loading(benchbook: Any) -> None:
    problem, mend = refused(benchbook(*RUN, "-p", "rows_per_table=100000000", "-p", "n_tables=200"))
    assert "GiB of disk" in problem
    assert "BENCHBOOK_SCRATCH" in mend


def test_too_little_memory_is_said_before_loading(benchbook: Any) -> None:
    problem, mend = refused(benchbook(*RUN, "-p", "large_pool_mib=1000000"))
    assert "977.5 GiB of memory" in problem
    assert "smaller buffer pool" in mend


def test_an_old_postgresql_is_refused(benchbook: Any, tiny: str, old_postgres: Path) -> None:
    problem, mend = refused(benchbook(*RUN, "-f", tiny))
    assert "PostgreSQL 13.4" in problem
    assert "older than 14" in problem
    assert "BENCHBOOK_PG_BIN" in mend


def test_a_missing_notebook_is_said_before_measuring(module_home: Path, benchbook: Any, tiny: str) -> None:
    notebook = module_home / "notebooks" / "hot_cold_keys.ipynb"
    aside = notebook.rename(module_home / "tmp" / "aside")
    assert "notebooks/hot_cold_keys.ipynb does not exist" in refused(benchbook(*RUN, "-f", tiny))[0]
    aside.rename(notebook)


def test_a_folder_without_a_project_is_refused(benchbook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHBOOK_HOME", str(tmp_path))
    assert "is not a Benchbook folder" in refused(benchbook("runs"))[0]


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["run", "hot_cold_keys", "--all"],
        ["run", "--all", "-p", "n_tables=3"],
        ["run", "hot_cold_keys", "-p", "n_tables"],
        ["run", "hot_cold_keys", "-p", "=3"],
        ["run", "hot_cold_keys", "-p", "hot_shares_percent=[90"],
        ["run", "hot_cold_keys", "-f", "a.yaml", "-f", "b.yaml"],
        ["run", "hot_cold_keys", "-p", "class", "1"],
        ["run", "hot_cold_keys", "--unknown"],
        [],
        ["unknown"],
        ["show", "scale", "alex_rocksdb"],
        ["figure", "fig-nothing"],
        ["show"],
        ["publish"],
    ],
)
def test_a_wrong_use_of_the_command_line_exits_2(benchbook: Any, arguments: list[str]) -> None:
    assert "Traceback" not in benchbook(*arguments, code=2).stderr


@pytest.mark.parametrize("line", [["--debug", "show", "nothing"], ["show", "nothing", "--debug"]])
def test_debug_shows_the_traceback_wherever_it_stands(benchbook: Any, line: list[str]) -> None:
    result = benchbook(*line, code=1)
    assert "Traceback" in result.stderr
    assert "there is no experiment 'nothing'" in result.stderr


def test_an_unforeseen_error_shows_no_traceback_either(benchbook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> list[str]:
        raise RuntimeError("the moon is in the way")

    monkeypatch.setattr(catalogue, "names", fail)
    problem, mend = benchbook("list").stderr.splitlines()
    assert "unforeseen error: RuntimeError: the moon is in the way" in problem
    assert "--debug" in mend
    assert "Traceback" in benchbook("--debug", "list").stderr


@pytest.mark.parametrize(
    ("variable", "value", "arguments"),
    [
        ("BENCHBOOK_HOME", NAME, ("runs",)),
        ("BENCHBOOK_PG_BIN", "/bin", ("run", "shared_buffers")),
        ("BENCHBOOK_PROBES", "/etc", ("run", "cache_sizing")),
        ("BENCHBOOK_SCRATCH", "/nowhere", RUN),
    ],
)
def test_a_variable_that_leads_nowhere_is_refused(
    benchbook: Any, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv(variable, value)
    refused(benchbook(*arguments))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *((text, "mine.yaml") for text in ("- 1\n", "n_tables: [1\n", "just words\n", "", "3\n", "blocks:\t- 2\n")),
        *((text, "mine.yaml") for text in ("? [blocks]\n: 2\n", "blocks: 2\n---\nblocks: 3\n")),
        ("n_tabels: 3\n", "(did you mean 'n_tables'?)"),
        ("n_tables: 3\nblocks: 2\nn_tables: 4\n", "'n_tables' is set twice, line 3"),
        ("n_tables: 3\n'n_tables': 3\n", "'n_tables' is set twice, line 2"),
        ("{blocks: 2, blocks: 3}", "'blocks' is set twice"),
        ("a: &a [1, 1]\nb: [*a, *a]\n", "an alias cannot be used here, line 2"),
        ("blocks: 2024-99-99\n", "blocks='2024-99-99': input should be a valid integer"),
        (f"blocks: 0x{'f' * 4000}\n", "(4,004 characters): input should be a valid integer"),
        (f"blocks: {'9' * 400}\n", "a number has too many digits"),
        (f"blocks: {'9' * 5000}\n", "digits"),
        (f"blocks: {'[' * 4000}\n", "nested too deep"),
        (f"hot_shares_percent: [{'80, ' * 1_000_000}80]\n", "longer than 10,000 characters"),
        ("blocks: !!python/object/apply:os.getcwd []\n", "could not determine a constructor"),
        ("blocks: 2\0\n", "special characters are not allowed"),
    ],
)
def test_a_file_that_is_no_use_is_refused(benchbook: Any, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    assert words in refused(benchbook(*RUN, "-f", str(tmp_path / "mine.yaml")))[0]


def test_what_is_no_readable_file_is_refused(benchbook: Any, tmp_path: Path) -> None:
    assert "is a folder" in refused(benchbook(*RUN, "-f", str(tmp_path)))[0]
    assert "File name too long" in refused(benchbook(*RUN, "-f", NAME))[0]
    assert "longer than 10,000 characters" in refused(benchbook(*RUN, "-f", "/dev/zero"))[0]
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    assert "is not valid YAML" in refused(benchbook(*RUN, "-f", str(tmp_path / "bytes.yaml")))[0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_may_not_be_read_is_refused(benchbook: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("blocks: 2\n")
    (tmp_path / "mine.yaml").chmod(0)
    assert "cannot be read: Permission denied" in refused(benchbook(*RUN, "-f", str(tmp_path / "mine.yaml")))[0]


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (f"n_tables=[{'1, ' * 3000}1]", "(9,003 characters): input should be a valid integer"),
        (f"hot_shares_percent=[{'x' * 5000}]", "(5,002 characters): input should be"),
        (f"n_tables={'x' * 5000}", "(5,002 characters): input should be"),
        (f"{'x' * 5000}=1", "unknown parameter 'xxx"),
        (f"zipf_exponents=[{'y, ' * 3000}y]", "zipf_exponents.3000='y'"),
    ],
)
def test_a_long_value_is_cut_and_what_is_wrong_still_said(benchbook: Any, setting: str, words: str) -> None:
    assert words in refused(benchbook(*RUN, "-p", setting))[0]


def test_a_value_of_a_million_elements_is_a_wrong_use(benchbook: Any) -> None:
    for setting in (f"hot_shares_percent=[{'1,' * 1_000_000}1]", "x" * 1_000_000):
        assert len(benchbook(*RUN, "-p", setting, code=2).stderr) < LONGEST


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", NAME),
        ("show", NAME),
        ("runs", NAME),
        ("plan", NAME),
        ("publish", NAME),
        ("verify", NAME),
        ("cite", NAME),
        ("data", NAME),
        ("data", "fig-small", "--out", NAME),
        ("figure", NAME, "--out", "a.json"),
        ("figure", "fig-small", "--out", f"{NAME}.json"),
        ("archive", "--out", NAME),
        ("pdf", "--out", NAME),
        ("bench", "--small", "--out", NAME),
        ("bench", "--only", NAME),
        ("edition", "check", NAME),
        ("edition", "create", NAME),
        ("edition", "crate", NAME, "--out", "a.zip"),
        ("verdicts", "--chapter", NAME),
        ("verdicts", "--note", NAME),
        ("build", "--profile", NAME),
        (*RUN, "-p", f"{NAME}=1"),
    ],
)
def test_a_name_of_300_characters_is_an_ordinary_mistake(
    benchbook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(benchbook(*arguments))
