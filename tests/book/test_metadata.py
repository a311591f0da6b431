"""The files for other readers say what CITATION.cff says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from benchbook.book import metadata

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", metadata.FILES)
def test_the_stored_file_is_in_step_with_the_citation_file(name: str) -> None:
    assert (ROOT / name).read_text("utf-8") == metadata.texts(ROOT)[name]


def test_title_version_and_date_are_those_of_the_citation_file() -> None:
    whole = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    codemeta, zenodo = (json.loads(metadata.texts(ROOT)[name]) for name in metadata.FILES)
    assert codemeta["name"] == zenodo["title"] == whole["title"]
    assert codemeta["version"] == zenodo["version"] == str(whole["version"])
    assert codemeta["dateModified"] == zenodo["publication_date"] == str(whole["date-released"])


def test_writing_brings_both_in_step(tmp_path: Path) -> None:
    (tmp_path / "_config.yml").write_text("html:\n  baseurl: https://example.org\n")
    (tmp_path / "CITATION.cff").write_text(
        "title: T\nversion: 2\ndate-released: 2026-01-01\nlicense: [Apache-2.0]\nkeywords: [a]\n"
        "authors:\n  - given-names: Ada\n    family-names: Lovelace\n"
    )
    metadata.write(tmp_path)
    assert json.loads((tmp_path / "codemeta.json").read_text())["author"][0]["familyName"] == "Lovelace"
    assert json.loads((tmp_path / ".zenodo.json").read_text())["creators"] == [{"name": "Lovelace, Ada"}]
