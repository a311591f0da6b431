"""Addresses and DOI of the book are settings; one that cannot be is refused before anything is built."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from benchbook.book.assembly.assemble import build
from benchbook.book.records import site
from benchbook.errors import BenchbookError

ROOT = Path(__file__).parents[2]


def test_without_settings_there_is_no_address(tmp_path: Path) -> None:
    (tmp_path / "_config.yml").write_text("title: T\nrepository:\nsphinx:\n  config:\n")
    assert site.of(tmp_path) == site.Site()
    assert site.Site().doi_address == ""


def test_the_settings_are_read_and_an_address_ends_in_a_slash(tmp_path: Path) -> None:
    shutil.copy(ROOT / "_config.yml", tmp_path)
    path = tmp_path / "_config.yml"
    text = path.read_text()
    for name, value in (("baseurl", "https://example.org/b"), ("url", "https://example.org/b.git"),
                        ("benchbook_doi", "10.5281/zenodo.12")):  # fmt: skip
        assert f'  {name}: ""' in text, "each has its place in the settings"
        text = text.replace(f'  {name}: ""', f'  {name}: "{value}"')
    path.write_text(text)
    found = site.of(tmp_path)
    assert found == site.Site("https://example.org/b/", "https://example.org/b.git", "10.5281/zenodo.12")
    assert found.doi_address == "https://doi.org/10.5281/zenodo.12"


@pytest.mark.parametrize("doi", ["https://doi.org/10.5281/zenodo.12", "doi:10.5281/zenodo.12", "zenodo.12", "10.5/x y"])
def test_a_doi_that_is_none_fails_the_build_and_says_how_it_is_written(small_root: Path, doi: str) -> None:
    (small_root / "_config.yml").write_text(f'title: T\nsphinx:\n  config:\n    benchbook_doi: "{doi}"\n')
    with pytest.raises(BenchbookError, match="is no DOI") as told:
        build(quiet=True)
    assert "10.5281/zenodo.1234567" in told.value.mend


@pytest.mark.parametrize("setting", ["html:\n  baseurl: example.org\n", "repository:\n  url: git@example.org:b\n"])
def test_an_address_that_is_none_is_refused(tmp_path: Path, setting: Any) -> None:
    (tmp_path / "_config.yml").write_text(setting)
    with pytest.raises(BenchbookError, match="is no address"):
        site.of(tmp_path)
