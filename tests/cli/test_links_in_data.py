"""A change of data alone may put a link, a pipe or a device anywhere: no command follows it, or waits for it."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sealing
from typer.testing import CliRunner

from benchbook import store
from benchbook.cli.commands import app
from benchbook.store import schema, sums

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "data" / "published" / "lru"
RUN = sorted(PUBLISHED.iterdir())[0].name
LISTING = (("list",), ("runs",), ("runs", "--json"), ("verify",), ("verdicts",), ("show", "lru"))
"""Commands that read what is stored and measure nothing."""
KINDS = ("link to a copy", "pipe", "sparse")
"""A link that could be followed unnoticed, what nobody may wait for, what a limit stops; for more see test_one_door."""


def replaced(path: Path, kind: str, elsewhere: Path) -> None:
    """Put something else where a file or folder was; what it held lies elsewhere, unchanged."""
    kept = elsewhere / path.name
    shutil.move(path, kept)
    made: dict[str, Callable[[], Any]] = {
        "link to a copy": lambda: path.symlink_to(kept),
        "pipe": lambda: os.mkfifo(path),
        "sparse": lambda: (path.touch(), os.truncate(path, 2**42)),
    }
    made[kind]()


@pytest.fixture
def run(home: Path) -> Path:
    return sealing.publish_copy(PUBLISHED / RUN, home)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [schema.RUN, schema.TRIALS, schema.SAMPLES])
def test_a_file_of_a_run_that_is_none_is_damage(
    run: Path, benchbook: Any, tmp_path: Path, name: str, kind: str
) -> None:
    replaced(run / name, kind, tmp_path)
    for command in LISTING:
        assert "unforeseen" not in benchbook(*command).stderr, command
    assert "DAMAGED" in benchbook("verify", RUN, code=6).stdout
    assert f"{RUN} is damaged" in benchbook("runs").stdout
    assert benchbook("export", RUN, "--out", str(tmp_path / "out")).exit_code == 6
    assert benchbook("pack", RUN, "--out", str(tmp_path / "out.zip")).exit_code == 6
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [f"published/{sums.FILE}", "claims.csv", "plans.csv", "notes/documents.csv"])
def test_a_list_that_is_no_file_is_refused_and_named(
    home: Path, run: Path, benchbook: Any, tmp_path: Path, name: str, kind: str
) -> None:
    path = home / "data" / name
    replaced(path, kind, tmp_path)
    for command in LISTING:
        result = benchbook(*command)
        assert "unforeseen" not in result.stderr, command
        if name == "claims.csv" and command == ("verdicts",):
            assert result.exit_code != 0
            assert str(path) in result.stderr
    if name.endswith(sums.FILE):
        assert benchbook("verify", RUN).exit_code == 6


@pytest.mark.parametrize("above", ["data", "data/published", "data/published/lru", f"data/published/lru/{RUN}"])
def test_a_linked_folder_of_published_runs_holds_no_whole_run(
    home: Path, run: Path, benchbook: Any, tmp_path: Path, above: str
) -> None:
    replaced(home / above, "link to a copy", tmp_path)
    assert not [entry for entry in store.catalogue() if entry.record is not None]
    assert benchbook("verify").exit_code in {0, 1, 6}
    assert "whole" not in benchbook("verify").stdout


@pytest.mark.parametrize("parts", [("runs", "lru", "x\x1b[2Jy"), ("foreign", "lru", "x\x1b[2Jy")])
def test_a_folder_s_name_steers_no_terminal(home: Path, parts: tuple[str, ...]) -> None:
    home.joinpath(*parts).mkdir(parents=True)
    for command in (("runs",), ("verify",)):
        said = CliRunner().invoke(app, command, color=True)
        assert "x\\x1b[2Jy" in said.stdout
        assert "\x1b[2J" not in said.stdout + said.stderr


def test_links_beside_the_runs_are_not_followed(home: Path, run: Path, benchbook: Any) -> None:
    (home / "runs").mkdir()
    (home / "runs" / ".records-found-right.json").symlink_to("/dev/zero")
    for group in (home / "runs" / "lru", home / "data" / "published" / "other", home / "foreign" / "lru"):
        group.parent.mkdir(exist_ok=True)
        group.symlink_to("/")
    assert [entry.id for entry in store.catalogue()] == [RUN]
    assert benchbook("runs").exit_code == 0
    assert benchbook("verify").exit_code == 0


def test_the_folder_of_one_s_own_runs_may_lie_on_another_disk(home: Path, tmp_path: Path) -> None:
    kept = tmp_path / "disk" / "lru" / RUN
    shutil.copytree(PUBLISHED / RUN, kept)
    (home / "runs").symlink_to(tmp_path / "disk")
    [entry] = store.catalogue("lru")
    assert entry.record is not None
    shutil.move(kept, tmp_path / "aside")
    kept.symlink_to(tmp_path / "aside")
    [entry] = store.catalogue("lru")
    assert "is a link" in entry.damage
