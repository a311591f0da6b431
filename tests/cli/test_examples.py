"""The worked example of a trial is whole: its ledger, its published run and the verdicts that follow from it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "pgbench_scale"


def inside(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "BENCHBOOK_HOME"}
    return subprocess.run(
        [sys.executable, "-m", "benchbook", *arguments], cwd=EXAMPLE, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def test_every_claim_can_be_judged_and_is() -> None:
    checked = inside("trial", "check")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    judged = inside("verdicts", "--json")
    assert judged.returncode == 0, judged.stderr
    found = json.loads(judged.stdout)
    rows = found if isinstance(found, list) else found["claims"]
    assert len(rows) == 3
    assert "not yet run" not in judged.stdout


def test_its_published_run_is_as_it_was_measured() -> None:
    assert "published): whole" in inside("verify").stdout


@pytest.mark.long
def test_its_book_is_built() -> None:
    built = inside("build", "--quiet")
    assert built.returncode == 0, built.stderr
