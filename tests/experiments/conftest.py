"""The tiny run that a test module measures once, and the checks that such modules share."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchbook import lab
from benchbook.model import Run

pytest.register_assert_rewrite("tiny_runs")


@pytest.fixture(scope="module")
def run(request: pytest.FixtureRequest, module_home: Path) -> Run:
    """The run of the module's CHAPTER with its PARAMETERS, measured in a project of its own."""
    return lab.obtain(lab.experiment(request.module.CHAPTER), request.module.PARAMETERS)
