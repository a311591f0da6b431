"""Surroundings that a build did not choose: few open files, variables that are set to nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from test_ctrl_c import MAIN, check_nothing_left, processes, start, write

pytestmark = pytest.mark.faults


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    """A project of three chapters whose cells do not wait."""
    write(tmp_path)
    (tmp_path / "go-on").touch()
    yield tmp_path
    for process in processes(tmp_path):
        process.kill()


@pytest.mark.parametrize("files", [pytest.param(48, marks=pytest.mark.long), 64])
def test_where_few_files_may_be_open_the_limit_is_named_and_no_notebook(root: Path, files: int) -> None:
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({files}, {files})); {MAIN}"
    building = start(root, limited, "build", "--quiet")
    _, said = building.communicate(timeout=300)
    check_nothing_left(root)
    limit = f"error: only {files} files may be open at once, too few for a notebook's kernel"
    mend = "fix: raise the limit, for example with `ulimit -n 4096`, and repeat the command"
    assert (building.returncode, said.splitlines()) == (3, [limit, mend])


def test_an_empty_build_date_is_none(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "")
    building = start(root, MAIN, "build", "--quiet")
    _, said = building.communicate(timeout=300)
    assert (building.returncode, said) == (0, "")
