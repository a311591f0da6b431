"""A published run names a commit that the history holds, or the run's page says that it does not."""

from __future__ import annotations

import json

import pytest

from benchbook import project, provenance
from benchbook.provenance import git


def named() -> set[str]:
    """The commits that published runs name."""
    records = (json.loads(path.read_text()) for path in project.published().glob("*/*/run.json"))
    return {record["provenance"]["commit"] for record in records}


def test_each_commit_that_is_named_is_in_the_history_or_listed_as_absent() -> None:
    if git.ask(project.root(), "rev-parse", "--is-shallow-repository") != b"false\n":
        pytest.skip("this copy has no history to look into")
    assert named()
    held = {
        commit for commit in named() if git.ask(project.root(), "cat-file", "-e", f"{commit}^{{commit}}") is not None
    }
    assert {commit for commit in named() if provenance.absent(commit)} == named() - held
