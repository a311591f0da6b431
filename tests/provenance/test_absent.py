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
    try:
        clone = git.clone(project.root())
    except git.NoCloneError:
        pytest.skip("this copy has no history to look into")
    if not clone.whole():
        pytest.skip("this clone has not its whole history")
    assert named()
    held = {commit for commit in named() if clone.content(f"{commit}^{{commit}}") is not None}
    assert {commit for commit in named() if provenance.absent(commit)} == named() - held
