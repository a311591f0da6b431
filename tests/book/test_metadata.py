"""The files for other readers say what CITATION.cff says."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.version import Version

import benchbook
from benchbook.book.records import metadata

ROOT = Path(__file__).parents[2]
MEND = (
    'run `.venv/bin/python -c "from pathlib import Path; from benchbook.book.records import metadata; '
    "metadata.write(Path('.'))\"`"
)


def version() -> str:
    return str(yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"])


@pytest.mark.parametrize("name", metadata.FILES)
def test_the_stored_file_is_in_step_with_the_citation_file(name: str) -> None:
    assert (ROOT / name).read_text("utf-8") == metadata.texts(ROOT)[name], MEND


def test_the_package_has_the_version_of_the_citation_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == version(), "pyproject.toml and CITATION.cff name one version"
    assert benchbook.__version__ == version(), "src/benchbook/__init__.py and CITATION.cff name one version"


def test_the_newest_section_of_the_changelog_is_of_this_version_or_of_the_next() -> None:
    sections = re.findall(r"^## (\d\S*)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert sections, "a section starts with ## and its version"
    assert Version(sections[0]) >= Version(version()), f"write what {version()} brings"
    assert sections == sorted(sections, key=Version, reverse=True), "the newest comes first"


def test_title_version_and_date_are_those_of_the_citation_file() -> None:
    whole = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    codemeta, zenodo = (json.loads(metadata.texts(ROOT)[name]) for name in metadata.FILES)
    assert codemeta["name"] == zenodo["title"] == whole["title"]
    assert codemeta["version"] == zenodo["version"] == str(whole["version"])
    assert codemeta["description"] == zenodo["description"] == whole["abstract"]
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
