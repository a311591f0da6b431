"""The files for other readers say what CITATION.cff says."""

import csv
import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.version import Version

import benchbook
from benchbook.book.records import metadata, versions
from benchbook.errors import BenchbookError

ROOT = Path(__file__).parents[2]
MEND = (
    'run `.venv/bin/python -c "from pathlib import Path; from benchbook.book.records import metadata; '
    "metadata.write(Path('.'))\"`"
)


def version() -> str:
    return str(yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"])


@pytest.mark.parametrize("name", [metadata.CITATION, *metadata.FILES])
def test_the_stored_file_is_in_step_with_the_citation_file(name: str) -> None:
    assert (ROOT / name).read_text("utf-8") == metadata.texts(ROOT)[name], MEND


def test_the_package_has_the_version_of_the_citation_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == version(), "pyproject.toml and CITATION.cff name one version"
    assert benchbook.__version__ == version(), "src/benchbook/__init__.py and CITATION.cff name one version"


def test_the_newest_section_of_the_changelog_is_of_this_version_or_of_the_next() -> None:
    sections = re.findall(r"^## (\d\S*)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert sections, "a section starts with ## and its version"
    if versions.is_development(version()):
        assert Version(sections[0]) < Version(version()), "it is of a time after the newest release"
    else:
        assert Version(sections[0]) >= Version(version()), f"write what {version()} brings"
    assert sections == sorted(sections, key=Version, reverse=True), "the newest comes first"


def test_the_notes_are_referred_to_as_the_data_name_them() -> None:
    whole = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    with (ROOT / "data" / "notes" / "documents.csv").open(encoding="utf-8", newline="") as file:
        notes = [
            (row["title"], row["date"], f"https://github.com/{row['repository']}/blob/{row['commit']}/{row['path']}")
            for row in csv.DictReader(file)
        ]
    cited = [each for each in whole["references"] if each["type"] == "report"]
    assert [(each["title"], str(each["date-published"]), each["url"]) for each in cited] == notes


def test_every_reference_has_what_the_format_asks_for() -> None:
    for each in yaml.safe_load((ROOT / "CITATION.cff").read_text())["references"]:
        assert {"type", "title", "authors", "url"} <= each.keys()
        assert all(author.keys() & {"name", "alias"} for author in each["authors"])
        assert str(each["url"]).startswith("https://")


HEAD = (
    "title: T\nversion: {version}\n{released}license: [Apache-2.0]\nkeywords: [a]\nabstract: A.\n"
    "authors:\n  - given-names: Ada\n    family-names: Lovelace\n"
    "references:\n  - {{type: report, title: N, url: 'https://example.org/n'}}\n"
    "  - {{type: software, title: E, url: 'https://example.org/e'}}\n"
    "  - {{type: generic, title: I, url: 'https://example.org/i'}}\n"
)
SETTINGS = """html:
  baseurl: https://example.org
repository:
  url: https://example.org/code.git
sphinx:
  config:
    benchbook_doi: 10.5281/zenodo.1234567
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "_config.yml").write_text(SETTINGS)
    (tmp_path / "CITATION.cff").write_text(HEAD.format(version="2.0.0", released="date-released: 2026-01-01\n"))
    (tmp_path / "data" / "published").mkdir(parents=True)
    (tmp_path / "data" / "published" / "SHA256SUMS").write_text("one")
    return tmp_path


def test_writing_brings_all_in_step(root: Path) -> None:
    metadata.write(root)
    codemeta, zenodo = (json.loads((root / name).read_text()) for name in metadata.FILES)
    assert (codemeta["name"], codemeta["version"], codemeta["description"]) == ("T", "2.0.0", "A.")
    assert (zenodo["title"], zenodo["version"], zenodo["description"]) == ("T", "2.0.0", "A.")
    assert codemeta["dateModified"] == zenodo["publication_date"] == "2026-01-01"
    assert codemeta["author"][0]["familyName"] == "Lovelace"
    assert zenodo["creators"] == [{"name": "Lovelace, Ada"}]
    data = f"sha256:{versions.state(root)}"
    whole = yaml.safe_load((root / "CITATION.cff").read_text())
    assert (whole["url"], whole["repository-code"]) == ("https://example.org/", "https://example.org/code.git")
    assert whole["doi"] == zenodo["doi"] == "10.5281/zenodo.1234567"
    assert whole["identifiers"][0]["value"] == data
    assert codemeta["identifier"] == ["https://doi.org/10.5281/zenodo.1234567", data]
    assert (codemeta["url"], codemeta["codeRepository"]) == (whole["url"], whole["repository-code"])
    assert [each["url"] for each in codemeta["citation"]] == ["https://example.org/n", "https://example.org/e"]
    assert codemeta["relatedLink"] == ["https://example.org/i"]
    assert {each["identifier"]: each["relation"] for each in zenodo["related_identifiers"]} == {
        "https://example.org/": "isDocumentedBy",
        "https://example.org/code.git": "isDerivedFrom",
        "https://example.org/n": "reviews",
        "https://example.org/e": "references",
        "https://example.org/i": "references",
    }
    before = {name: (root / name).read_bytes() for name in (metadata.CITATION, *metadata.FILES)}
    metadata.write(root)
    assert before == {name: (root / name).read_bytes() for name in before}, "written twice, it stays"


def test_what_no_setting_says_stands_nowhere(root: Path) -> None:
    metadata.write(root)
    (root / "_config.yml").write_text('html:\n  baseurl: ""\n')
    path = root / "CITATION.cff"
    path.write_text(path.read_text().replace("2.0.0\ndate-released: 2026-01-01\n", "2.1.0.dev0\n"))
    metadata.write(root)
    codemeta, zenodo = (json.loads((root / name).read_text()) for name in metadata.FILES)
    assert not {"url", "codeRepository", "identifier", "dateModified"} & codemeta.keys()
    assert not {"doi", "publication_date"} & zenodo.keys()
    assert path.read_text() == HEAD.format(version="2.1.0.dev0", released="") + metadata.MARK


def test_a_released_version_gets_its_state_once_and_a_date_is_asked_for(root: Path) -> None:
    metadata.write(root)
    assert versions.released(root)["2.0.0"].data_sha256 == versions.state(root)
    (root / "data" / "published" / "SHA256SUMS").write_text("other")
    with pytest.raises(BenchbookError, match=r"2\.0\.0 stands for the data"):
        metadata.write(root)
    (root / "CITATION.cff").write_text(HEAD.format(version="2.1.0", released=""))
    with pytest.raises(BenchbookError, match="no date-released"):
        metadata.write(root)
