"""A hundred and fifteen bad inputs: each is refused in a few lines before anything starts, and nothing is written."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from annotated_types import Ge, Gt, Le, Lt
from typer.testing import CliRunner

from benchbook import lab
from benchbook.cli.commands import app
from benchbook.errors import LONGEST

pytestmark = [pytest.mark.faults, pytest.mark.long]

SEED = 20261123
LONG = "n" * 300
PER_EXPERIMENT = 5
COMMANDS: list[tuple[str, ...]] = [
    (),
    ("runn",),
    ("run",),
    ("run", "--all", "hot_cold_keys"),
    ("run", "--all", "-f", "x.yaml"),
    ("run", "--fresh", "--stored", "cost"),
    ("run", "hot-cold-keys"),
    ("run", "HOT_COLD_KEYS"),
    ("run", "../hot_cold_keys"),
    ("run", "hot_cold_keys\0"),
    ("run", ""),
    ("run", "scale", "--profile", ""),
    ("run", "scale", "--profile", "../quick"),
    ("run", "scale", "-p", ""),
    ("run", "scale", "-p", "blocks"),
    ("run", "scale", "-p", "blocks=2", "-p", "bloks=2"),
    ("run", "scale", "-f", "."),
    ("run", "scale", "-f", "/dev/null"),
    ("run", "scale", "-f", LONG),
    ("show", ""),
    ("show", "scale", "alex_rocksdb"),
    ("runs", "nothing"),
    ("publish", "nothing"),
    ("publish", "../../etc"),
    ("verify", "nothing"),
    ("verify", "--crate", "/etc/passwd"),
    ("verify", "--crate", "/etc"),
    ("verify", "x", "--crate", "y"),
    ("cite", "fig-nothing"),
    ("cite", "fig-nothing", "--format", "word"),
    ("data", "fig-nothing"),
    ("data", "fig-nothing", "--out", "/etc"),
    ("figure", "fig-nothing"),
    ("figure", "fig-nothing", "--out", "x.bmp"),
    ("figure", "fig-nothing", "--out", "/nowhere/x.svg"),
    ("archive", "--out", "/nowhere/x.html"),
    ("build", "--edition", "--local"),
    ("build", "--profile", "huge"),
    ("verdicts", "--chapter", "nothing"),
    ("plan", "nothing"),
    ("edition", "check", "1999.1"),
    ("bench", "--only", "nothing"),
]
FILES = {
    "empty": b"",
    "list": b"- blocks\n",
    "text": b"blocks\n",
    "number": b"3\n",
    "twice": b"blocks: 2\nblocks: 3\n",
    "alias": b"a: &a [1]\nb: *a\n",
    "tag": b"blocks: !!python/name:os.system\n",
    "open bracket": b"blocks: [2\n",
    "tab": b"blocks:\t- 2\n\t- 3\n",
    "bytes": b"\xff\xfe\x00\x01",
    "nul": b"blocks: 2\x00\n",
    "key that is a list": b"? [blocks]\n: 2\n",
    "two documents": b"blocks: 2\n---\nblocks: 3\n",
    "deep": b"blocks: " + b"[" * 3000 + b"]" * 3000,
    "long": b"blocks: [" + b"1," * 100_000 + b"1]\n",
    "date": b"blocks: 2026-11-23\n",
    "unknown": b"blcks: 2\n",
}
VARIABLES = [
    ("BENCHBOOK_HOME", "/etc", ("runs",)),
    ("BENCHBOOK_HOME", LONG, ("runs",)),
    ("BENCHBOOK_PG_BIN", "/etc/passwd", ("run", "hot_cold_keys")),
    ("BENCHBOOK_PG_BIN", "/bin", ("run", "shared_buffers")),
    ("BENCHBOOK_PROBES", "/etc/passwd", ("run", "scale")),
    ("BENCHBOOK_PROBES", "/etc", ("run", "cache_sizing")),
    ("BENCHBOOK_SCRATCH", "/nowhere", ("run", "hot_cold_keys")),
]


def wrong_values() -> Iterator[tuple[str, str]]:
    """Experiment and setting: for each experiment some of its parameters with values that they cannot take."""
    generator = random.Random(SEED)
    for name in sorted(set(lab.names()) - set(lab.analyses())):
        fields = lab.experiment(name).Parameters.model_fields
        found = [(field, value) for field in fields for value in ("null", "{a: 1}", *_beyond(fields[field]))]
        yield from ((name, f"{field}={value}") for field, value in generator.sample(found, PER_EXPERIMENT))


def _beyond(field: Any) -> Iterator[str]:
    """A value on the wrong side of each bound that a parameter has."""
    for bound in field.metadata:
        if isinstance(bound, Ge | Gt):
            yield str((bound.ge if isinstance(bound, Ge) else bound.gt) - 1)
        if isinstance(bound, Le | Lt):
            yield str((bound.le if isinstance(bound, Le) else bound.lt) + 1)


SETTINGS = [*wrong_values()]


def test_there_are_as_many_as_the_name_of_this_file_promises() -> None:
    assert len(COMMANDS) + len(FILES) + len(VARIABLES) + len(SETTINGS) >= 115


@pytest.fixture
def refuse(home: Path) -> Any:
    """Calls the command line; fails unless it refuses as it should and leaves everything as it was."""

    def content() -> dict[str, tuple[int, int]]:
        found = [path for path in home.rglob("*") if path.is_file() and "tmp" not in path.parts[len(home.parts) :]]
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in found}

    def call(*arguments: str) -> None:
        before = content()
        result = CliRunner().invoke(app, list(arguments), prog_name="benchbook")
        assert result.exit_code in {1, 2, 3, 5}, (arguments, result.stdout)
        said = result.stderr + ("" if arguments else result.stdout)
        assert said.strip()
        assert "Traceback" not in said
        assert "unforeseen" not in said
        assert len(result.stderr) < LONGEST + 500
        if result.exit_code != 2:
            assert [line.split(":")[0] for line in result.stderr.splitlines()] == ["error", "fix"]
        assert content() == before

    return call


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda each: " ".join(each)[:60].replace("\0", "NUL") or "nothing")
def test_a_command_that_cannot_be_meant_is_refused(
    refuse: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    refuse(*arguments)


@pytest.mark.parametrize("name", FILES)
def test_a_parameter_file_that_says_nothing_sensible_is_refused(refuse: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / "mine.yaml").write_bytes(FILES[name])
    refuse("run", "scale", "-f", str(tmp_path / "mine.yaml"))


@pytest.mark.parametrize(("variable", "value", "arguments"), VARIABLES, ids=lambda each: str(each)[:40])
def test_a_variable_that_leads_nowhere_is_refused(
    refuse: Any, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv(variable, value)
    refuse(*arguments)


@pytest.mark.parametrize(("experiment", "setting"), SETTINGS)
def test_a_parameter_that_cannot_be_so_is_refused(refuse: Any, experiment: str, setting: str) -> None:
    refuse("run", experiment, "-p", setting)
