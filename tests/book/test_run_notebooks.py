"""Notebooks that are executed together: each is saved where it belongs, and one that fails takes no other with it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest

from benchbook.book.assembly import run_notebook
from benchbook.book.assembly.run_notebook import Execution
from benchbook.errors import BenchbookError


def execution(root: Path, name: str) -> Execution:
    return Execution(name, {"size": 3}, root / "runs" / name / "key.ipynb", "", f"made as {name}", "any")


def test_a_notebook_that_fails_is_named_and_the_others_are_saved(small_root: Path, write_notebook: Any) -> None:
    write_notebook("good", "size = 2", "print(size)")
    write_notebook("bad", "size = 2", "1 / 0")
    write_notebook("worse", "size = 2", "raise ValueError('no')")
    wanted, told = [execution(small_root, name) for name in ("bad", "good", "worse")], []
    with pytest.raises(BenchbookError) as raised:
        run_notebook.execute(wanted, lambda each: told.append(each.experiment))
    assert "notebooks/bad.ipynb stopped" in raised.value.problem
    assert "notebooks/worse.ipynb stopped" in raised.value.problem
    assert "good" not in raised.value.problem
    assert raised.value.mend == "fix the notebook or the code it calls", "said once"
    assert sorted(told) == ["bad", "good", "worse"]
    assert [each.is_current for each in wanted] == [False, True, False]
    cells = nbformat.read(wanted[1].path, as_version=4).cells
    assert [output.text for cell in cells for output in cell.get("outputs", ())] == ["3\n"]


def test_what_is_executed_is_current_until_its_inputs_change(small_root: Path, write_notebook: Any) -> None:
    write_notebook("good", "size = 2", "print(size)")
    wanted = execution(small_root, "good")
    assert not wanted.is_current
    run_notebook.execute([wanted])
    assert wanted.is_current
    assert not replace(wanted, key="made otherwise").is_current
