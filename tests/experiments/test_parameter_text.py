"""A value means the same after ``-p``, in a file, and given to papermill; what papermill injected is all counted."""

from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import papermill.cli
import pytest
from papermill import iorw
from papermill.translators import papermill_translators
from pydantic import Field

from benchbook import lab
from benchbook.cli import parameter_options
from benchbook.errors import BenchbookError
from benchbook.experiments import papermill_plugin
from benchbook.parameters import yaml_text
from benchbook.parameters.base import AnalysisParameters
from benchbook.parameters.profiles import read_parameters

INTEGERS = {
    "007": 7, "010": 10, "1_000": 1000, "1e1": 10, "1e6": 1_000_000, "+5": 5, "10.0": 10, "12": 12,
    "0x10": None, "0b1": None, "0o7": None, "1:30": None, "1:30:00": None, "1__0": None, "_1": None, "1.5": None,
    "yes": None, "no": None, "on": None, "true": None, "null": None, "None": None, "": None, "2026-01-02": None,
}  # fmt: skip
NUMBERS = {
    "010": 10.0, "1e1": 10.0, "1e-3": 0.001, "1E6": 1e6, "1.5": 1.5, ".5": 0.5, "5.": 5.0, "1_000.5": 1000.5,
    "1:30": None, "0x10": None, ".nan": None, "nan": None, ".inf": None, "inf": None, "1:30.5": None, "off": None,
}  # fmt: skip
FLAGS = {
    "yes": True, "on": True, "true": True, "True": True, "y": True, "1": True, "no": False, "off": False,
    "false": False, "False": False, "n": False, "0": False, "2": None, "null": None, "perhaps": None,
}  # fmt: skip


class Parameters(AnalysisParameters):
    """One of each kind, and one that may be nothing."""

    integer: int = Field(4, description="a whole number")
    number: float = Field(4.5, description="a number")
    flag: bool = Field(False, description="a flag")
    limit: int | None = Field(5, description="a number, or nothing")


MODULE: Any = SimpleNamespace(name="made_up", Parameters=Parameters)


def taken(name: str, value: Any) -> Any:
    """What the parameter is then; None where the value is refused."""
    try:
        return getattr(Parameters.given({name: value}), name)
    except BenchbookError:
        return None


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        (name, text, value)
        for name, values in {"integer": INTEGERS, "number": NUMBERS, "flag": FLAGS}.items()
        for text, value in values.items()
    ],
)
def test_a_value_is_the_same_on_the_line_in_a_file_and_for_papermill(
    tmp_path: Path, name: str, text: str, value: Any
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f"{name}: {text}\n")
    found = {
        "-p": taken(name, parameter_options.setting(f"{name}={text}")[1]),
        "-f": taken(name, read_parameters(path)[name]),
        "papermill -p": taken(name, papermill.cli._resolve_type(text)),
        "papermill -f": taken(name, iorw.read_yaml_file(str(path))[name]),
    }
    assert found == dict.fromkeys(found, value)
    assert {type(each) for each in found.values()} == {type(value)}


def test_a_file_that_is_not_there_or_whose_names_are_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    with pytest.raises(BenchbookError, match=r"mine\.yaml"):
        read_parameters(path)
    path.write_text("1: 2")
    with pytest.raises(BenchbookError, match=r"mine\.yaml"):
        read_parameters(path)


def test_papermill_loads_the_plugin_once() -> None:
    [found] = entry_points(group="papermill.io")
    assert found.value == "benchbook.experiments.papermill_plugin:local"
    assert iorw.NoDatesSafeLoader is papermill.cli.NoDatesSafeLoader is yaml_text.Loader
    assert type(iorw.papermill_io.get_handler("notebooks/cost.ipynb")) is iorw.LocalHandler


def test_papermill_writes_what_is_a_name_and_refuses_what_is_none() -> None:
    python = papermill_translators.find_translator("python3", "python")
    assert (
        python.codify({"a": 1, "match": None, "b": [1.5, "x"]}) == '# Parameters\na = 1\nmatch = None\nb = [1.5, "x"]\n'
    )
    for name in ("class", "a b", "a.b", "None", "1a", "", 1, "a; b", "a, b"):
        with pytest.raises(BenchbookError, match="cannot be a parameter"):
            python.codify({name: 1})


def test_none_is_a_value_for_a_parameter_that_may_be_nothing_and_for_no_other() -> None:
    assert lab.parameters(MODULE, {"limit": None}).limit is None
    assert Parameters.given({"limit": parameter_options.setting("limit=")[1]}).limit is None
    with pytest.raises(BenchbookError, match="integer=None: input should be a valid integer"):
        lab.parameters(MODULE, {"integer": None})
    with pytest.raises(BenchbookError, match=r"unknown parameter 'lmit' \(did you mean 'limit'\?\)"):
        lab.parameters(MODULE, {"lmit": None})


def test_each_assignment_of_the_injected_cell_is_read() -> None:
    cell = "# Parameters\nlab = 1\nIn = None\n_a = [1, 'x']\nb = {\"c\": True}\nd = float('nan')\ne = -1.5\n"
    assert papermill_plugin.read(cell) == {
        "lab": 1, "In": None, "_a": [1, "x"], "b": {"c": True}, "d": "float('nan')", "e": -1.5,
    }  # fmt: skip
    assert papermill_plugin.assigned() == {}, "this is no notebook"


@pytest.mark.parametrize("line", ["blocks; n_tables = 5", "a, b = 1", "a.b = 1", "a[0] = 1", "a: int = 1", "a += 1"])
def test_a_line_of_the_injected_cell_that_sets_no_parameter_is_refused(line: str) -> None:
    with pytest.raises(BenchbookError, match="sets no parameter"):
        papermill_plugin.read(f"# Parameters\n{line}\n")


def test_what_was_injected_counts_also_where_the_notebook_hides_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def given(cell: str, **namespace: Any) -> Any:
        monkeypatch.setattr(
            papermill_plugin, "_executed", lambda: ["", "integer = 4", cell, "from benchbook import lab"]
        )
        return lab.parameters(MODULE, namespace)

    for name in ("lab", "In", "Out", "_integer", "_"):
        with pytest.raises(BenchbookError, match=f"unknown parameter '{name}'"):
            given(f"# Parameters\n{name} = 1\n", lab=lab, In=[], Out={}, _integer=1, _="")
    assert given("# Parameters\ninteger = 1\n", integer=2).integer == 2, "a cell that was executed later goes before it"
    assert given("lab = 1\n", lab=lab).integer == 4, "another cell is no injected one"


def test_what_has_a_parameters_name_counts_whatever_it_is_and_what_the_notebook_makes_does_not() -> None:
    with pytest.raises(BenchbookError, match="integer="):
        lab.parameters(MODULE, {"integer": np.array([10])})
    made = {"figures": {"a": object()}, "verdicts": [object()], "run": object(), "lab": lab}
    assert lab.parameters(MODULE, {"integer": 3, **made}).integer == 3, "the notebook can be executed again"
    with pytest.raises(BenchbookError, match="unknown parameter 'verdict'"):
        lab.parameters(MODULE, {"verdict": [1, {"a": None}]})


def test_only_the_newest_injected_cell_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = ["# Parameters\nlab = 1\n", "# Parameters\ninteger = 1\n"]
    monkeypatch.setattr(papermill_plugin, "_executed", lambda: cells)
    assert lab.parameters(MODULE, {"integer": 1}).integer == 1
