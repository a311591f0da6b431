"""Commands that need no run: what they print, and that every one of them explains itself."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sealing import write_run
from typer.main import get_command

import benchbook as package
from benchbook import doctor, lab
from benchbook.bench.record import read
from benchbook.book.assembly import assemble
from benchbook.book.assembly.chapter_plan import Shown
from benchbook.cli import formatting, parameter_options
from benchbook.cli.commands import COMMANDS, app
from benchbook.cli.failures import LACKS
from benchbook.doctor import Check, State
from benchbook.parameters import profiles

TABLES = {"matplotlib", "numpy", "pandas", "plotly", "psycopg", "pyarrow", "scipy", "sphinx"}
"""Libraries that no listing needs, and that take longer to load than all listings together."""


def test_the_version_is_that_of_the_package(benchbook: Any) -> None:
    assert benchbook("--version").stdout == f"benchbook {package.__version__}\n"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_an_example_and_a_word_for_each_option(benchbook: Any, name: str) -> None:
    assert f"benchbook {name}" in benchbook(name, "--help", code=0).stdout.split("Example", 1)[1]
    for parameter in get_command(app).get_command(None, name).params:
        assert parameter.help, parameter.name


@pytest.mark.parametrize("name", lab.names())
def test_show_explains_every_parameter(home: Path, benchbook: Any, name: str) -> None:
    said = benchbook("show", name).stdout
    fields = lab.experiment(name).Parameters.model_fields
    for parameter, field in fields.items():
        assert f"{parameter}: {field.description}\n" in said
    without_profiles = name in lab.analyses()
    assert said.count("    profiles: ") == (0 if without_profiles else len(fields))


def test_show_prints_a_profile_as_the_file_that_run_takes(home: Path, benchbook: Any, tmp_path: Path) -> None:
    file = tmp_path / "quick.yaml"
    file.write_text(benchbook("show", "lru", "--yaml", "quick").stdout)
    assert profiles.read_parameters(file) == profiles.profile("lru", "quick")
    assert "did you mean 'quick'?" in benchbook("show", "lru", "--yaml", "quik").stderr


def test_show_gives_type_unit_bounds_and_default(home: Path, benchbook: Any) -> None:
    said = benchbook("show", "hot_cold_keys").stdout
    assert "whole number, MiB, from 1 to 1000000, default 2048\n    profiles: quick 16, standard 2048, paper" in said
    assert "whole number, tables, from 1 to 200, default 30" in said
    assert "one of pipeline, serial, default pipeline\n    profiles: the same" in said
    assert "list of whole numbers, %, default [99,98,95,90,80,50]" in said


def test_list_names_every_experiment(home: Path, benchbook: Any) -> None:
    said = benchbook("list").stdout
    assert all(name in said and lab.experiment(name).title in said for name in lab.names())


def test_an_empty_project_has_nothing_to_list_or_to_verify(home: Path, benchbook: Any) -> None:
    assert "no run is stored here" in benchbook("runs").stderr
    assert "no complete run is stored here" in benchbook("verify", code=0).stderr


def test_a_value_is_yaml_and_may_hold_what_parts_it_from_its_name() -> None:
    assert parameter_options.setting("a= 0.99") == ("a", 0.99)
    assert parameter_options.setting("a=x=y") == ("a", "x=y")


def test_the_line_goes_before_the_file_and_the_file_before_the_profile(home: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("n_tables: 7\nblocks: 5\n")
    module = lab.experiment("hot_cold_keys")
    found: Any = parameter_options.parameters(module, "quick", tmp_path / "mine.yaml", ["blocks=6"])
    assert (found.n_tables, found.blocks, found.rows_per_table) == (7, 6, 10_000)


@pytest.mark.parametrize(("seconds", "text"), [(8.4, "8 s"), (150, "2 min"), (9000, "2.5 h")])
def test_durations_are_short(seconds: float, text: str) -> None:
    assert formatting.duration(seconds) == text


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ((), Shown()),
        (("--edition",), Shown(edition=True)),
        (("--edition", "--drawings"), Shown(edition=True)),
        (("--local",), Shown(local=True)),
        (("--local", "--profile", "standard"), Shown(local=True, profile="standard")),
    ],
)
def test_build_prints_where_the_book_is(
    home: Path, benchbook: Any, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], asked: Shown
) -> None:
    calls: list[tuple[Shown, bool, bool]] = []

    def build(shown: Shown, *, quiet: bool, drawings: bool) -> Path:
        calls.append((shown, quiet, drawings))
        return home / "_build" / "html" / "index.html"

    monkeypatch.setattr(assemble, "build", build)
    assert benchbook("build", "--quiet", *options).stdout.strip().endswith("_build/html/index.html")
    assert calls == [(asked, True, "--drawings" in options)]


def test_a_healthy_machine_passes(home: Path, benchbook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = [Check("disk", State.OK, "large", "buy one", required=True), Check("Go", State.MISSING, "no", "get it")]
    monkeypatch.setattr(doctor, "examine", lambda: checks)
    result = benchbook("doctor", code=0)
    assert "missing  Go    no\n" in result.stdout
    assert "fix: get it" in result.stdout
    assert "buy one" not in result.stdout, "what is well needs no mend"


def test_the_doctor_looks_at_everything_and_says_so_as_json(home: Path, benchbook: Any) -> None:
    result = benchbook("doctor", "--json")
    checks = json.loads(result.stdout)
    names = [check["name"] for check in checks]
    wanted = ["PostgreSQL", "pgbench", "account", "scratch disk", "direct I/O", "timer", "cores", "memory"]
    assert set(wanted) <= set(names)
    assert {"git", "browser", "C++ compiler", "Go", "delaying proxy", "Redis", "PgBouncer"} <= set(names)
    assert all(check["mend"] for check in checks if check["state"] != "ok")
    lacks = any(check["required"] and check["state"] == "missing" for check in checks)
    assert result.exit_code == (LACKS if lacks else 0)


def test_the_doctor_names_what_is_missing(home: Path, benchbook: Any, old_postgres: Path) -> None:
    result = benchbook("doctor", code=3)
    assert result.stdout.startswith("missing  PostgreSQL")
    assert "13.4" in result.stdout


def test_the_help_of_all_commands_says_of_each_what_its_own_says(benchbook: Any) -> None:
    said = "".join(benchbook("--help").stdout.replace("│", " ").split())
    for name in COMMANDS:
        first = (get_command(app).get_command(None, name).help or "").partition("\n\n")[0].replace("`", "")
        assert f"{name}{''.join(first.split())}" in said


def test_a_command_loads_no_library_that_only_others_need(home: Path) -> None:
    write_run(home, "hot_cold_keys", "0123456789ab-20260101T000000")
    begun = write_run(home, "hot_cold_keys", "0123456789ab-20260102T000000", state="measuring")
    (begun / "parts").mkdir()
    program = "import sys; from benchbook.cli import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program, "--version"], capture_output=True, text=True, check=True)
    assert not TABLES & set(done.stderr.split())
    for listing in (["--help"], ["list"], ["runs"]):
        done = subprocess.run([sys.executable, "-c", program, *listing], capture_output=True, text=True, check=True)
        assert not TABLES & set(done.stderr.split()), listing
        assert ("unfinished, 0 trials" in done.stdout) == (listing == ["runs"])


def test_a_small_part_is_measured_and_stored(home: Path, benchbook: Any, tmp_path: Path) -> None:
    out, part, peer = tmp_path / "tried.json", "analysis", "pandas: Series.describe"
    result = benchbook("bench", "--small", "--only", part, "--out", str(out), code=0)
    assert f"{part}: round 2 of 2" in result.stderr
    assert peer in result.stdout
    found = read(out)
    assert [each.name for each in found.parts] == [part]
    assert found.parts[0].settings["small"] is True
    assert os.environ["BENCHBOOK_HOME"] == str(home)
    assert not (home / "runs").exists(), "the project is left alone"
    for name in ("/home/", "/tmp/", "/var/", str(home)):
        assert name not in json.dumps(found.model_dump(mode="json"))
