"""How a figure is cited, in four forms."""

import json
import re
import shutil
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from pybtex import PybtexEngine
from pybtex.database import parse_string

from benchbook.book.records import citation_forms, references, versions
from benchbook.errors import BenchbookError

ROOT = Path(__file__).parents[2]
FIGURE = {
    "id": "fig-a-b",
    "title": "Latency of 50 % & more_or_less {all} requests",
    "run_id": "abc-20260102T030405",
    "date": "2026-01-02T03:04:05+00:00",
}
RUN = {"profile": "standard", "published": True, "experiment": "a", "run_id": FIGURE["run_id"]}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "CITATION.cff", tmp_path)
    (tmp_path / "data" / "published").mkdir(parents=True)
    listed = f"{'0' * 64}  a/k-20260102T030405/run.json\n"
    (tmp_path / "data" / "published" / "SHA256SUMS").write_text(listed)
    (tmp_path / "_config.yml").write_text("html:\n  baseurl: https://example.org/book\n")
    return tmp_path


def bibtex(reference: references.Reference) -> Any:
    """Its entry as another program reads it."""
    return parse_string(citation_forms.cite(reference, "bibtex"), "bibtex").entries[reference.key]


def csl(reference: references.Reference) -> dict[str, Any]:
    (item,) = json.loads(citation_forms.cite(reference, "csl"))
    return item


def test_each_form_names_authors_date_figure_run_and_address(root: Path) -> None:
    reference = references.of_figure(root, FIGURE)
    entry, item = bibtex(reference), csl(reference)
    assert entry.fields["year"] == "2026"
    assert entry.fields["url"] == "https://example.org/book/figures/fig-a-b.html"
    assert entry.fields["note"] == "Figure fig-a-b, run abc-20260102T030405"
    assert [str(person) for person in entry.persons["author"]] == ["{The Benchbook authors}"]
    assert r"50 \% \& more\_or\_less" in entry.fields["title"]
    assert item["issued"] == {"date-parts": [[2026, 1, 2]]}
    assert item["author"] == [{"literal": "The Benchbook authors"}]
    assert item["URL"].endswith("/figures/fig-a-b.html")
    text = citation_forms.cite(reference, "text")
    for part in ("The Benchbook authors (2026)", entry.fields["note"], "https://example.org/book/"):
        assert part in text


def test_a_figure_of_pooled_runs_names_all_of_them_and_the_folder_that_holds_them() -> None:
    found = references.of_figure(ROOT, {**FIGURE, "run": {**RUN, "pooled_with": [{"run_id": "abc-20260101T000000"}]}})
    assert found.note == f"Figure {FIGURE['id']}, runs abc-20260101T000000 and {FIGURE['run_id']}, pooled"
    assert found.file == "data/published/a"


def test_a_figure_of_a_run_that_is_not_published_says_so(root: Path) -> None:
    run = RUN | {"profile": "quick", "published": False}
    for form in citation_forms.FORMATS:
        said = citation_forms.cite(references.of_figure(root, FIGURE | {"run": run}), form)
        assert "run abc-20260102T030405 (quick profile, local run on one machine, not published)" in said
        assert "example.org" not in said, "the book's page shows another run"
        assert "data/published" not in said
        published = citation_forms.cite(references.of_figure(root, FIGURE | {"run": RUN}), form)
        assert "profile" not in published
        assert "https://example.org/book/figures/fig-a-b.html" in published
        assert "data/published" not in published, "where there is an address, no file is named"


def test_people_are_cited_by_family_name(root: Path) -> None:
    (root / "CITATION.cff").write_text(
        "title: T\nversion: 1\nauthors:\n  - given-names: Ada\n    family-names: Lovelace\n  - name: A group\n"
    )
    reference = references.of_figure(root, FIGURE)
    assert reference.authors == ("Lovelace, Ada", "A group")
    assert csl(reference)["author"][0] == {"family": "Lovelace", "given": "Ada"}
    people = bibtex(reference).persons["author"]
    assert [people[0].last_names, people[0].first_names] == [["Lovelace"], ["Ada"]]


@pytest.mark.parametrize(
    ("more", "file"),
    [
        ({"run": RUN}, "data/published/a/abc-20260102T030405"),
        ({"run": None, "chapter": "cost"}, "data/notes"),
        ({"run": None, "chapter": "performance"}, "data/performance.json"),
    ],
)
def test_a_book_without_address_is_cited_by_version_run_figure_and_file(
    root: Path, more: dict[str, Any], file: str
) -> None:
    (root / "_config.yml").write_text('html:\n  baseurl: ""\n')
    reference = references.of_figure(root, FIGURE | more)
    for form in citation_forms.FORMATS:
        said = citation_forms.cite(reference, form)
        assert "http" not in said
        assert "Figure fig-a-b, run abc-20260102T030405" in said
        assert file in said
        assert reference.version in said
    assert "url" not in bibtex(reference).fields


@pytest.mark.parametrize(("content", "text"), [("", "lacks title, authors, version"), ("a: [", "cannot be read")])
def test_a_citation_file_that_says_nothing_is_refused(root: Path, content: str, text: str) -> None:
    (root / "CITATION.cff").write_text(content)
    with pytest.raises(BenchbookError, match=text):
        references.of_figure(root, FIGURE)


def test_an_unknown_form_is_refused_with_the_nearest(root: Path) -> None:
    with pytest.raises(BenchbookError, match="did you mean 'bibtex'"):
        citation_forms.cite(references.of_figure(root, FIGURE), "bibtx")


def test_a_doi_and_an_abstract_are_cited_in_every_form_that_has_them(root: Path) -> None:
    (root / "_config.yml").write_text("sphinx:\n  config:\n    benchbook_doi: 10.5281/zenodo.12_3\n")
    for reference in (references.of_figure(root, FIGURE | {"caption": "A caption."}), references.of_book(root)):
        assert reference.doi == "10.5281/zenodo.12_3"
        assert bibtex(reference).fields["doi"] == reference.doi, "nothing in it is escaped"
        item = csl(reference)
        assert (item["DOI"], item["abstract"]) == (reference.doi, reference.abstract)
        assert f"https://doi.org/{reference.doi}" in citation_forms.text(reference)
    local = {**RUN, "profile": "quick", "published": False}
    assert references.of_figure(root, FIGURE | {"run": local}).doi == "", "it is of other data than the book's"


def test_the_whole_book_is_cited_with_its_abstract_and_what_it_examines(root: Path) -> None:
    whole = references.of_book(root)
    assert whole.date == "2026-01-02"
    assert whole.version == f"{references.book(root)['version']}, data {versions.state(root)[: versions.DIGITS]}"
    item = csl(whole)
    assert item["type"] == "software"
    assert "441 claims" in item["abstract"]
    assert "https://github.com/dgraph-io/badger/issues/2021" in item["annote"]
    assert whole.version in citation_forms.text(whole)
    assert bibtex(whole).fields["version"] == whole.version


TITLES = (
    "Hot versus cold keys",
    "P99 is 50 % & more",
    "Pool_size in MiB #1",
    "Cost in $ per month",
    "Means ± 5 %",
    "Latency (µs) – by client",
    "Ratio ≥ 1.25 × baseline",
    "Keys {hot} or }cold",
    r"x^2 ~ y \ z",
    "Größe “quoted”",
)
UNREAD = set("$^\\{}")
"""Signs that are right for LaTeX and that pybtex, writing for other readers, leaves in LaTeX's spelling."""


@pytest.fixture(scope="module")
def bibliography() -> str:
    """References of ten figures, with the signs that captions have, in one piece."""

    def reference(number: int, title: str) -> references.Reference:
        url = f"https://example.org/bench_book/#{number}/fig-{number}.html"
        note = f"Figure fig-{number}, run 0123456789ab-20260101T000000"
        authors = ("The Benchbook authors", "Lovelace, Ada")
        return references.Reference(
            f"benchbook-fig-{number}", title, authors, "2026-01-02", "0.1.0", "Benchbook", url, note
        )

    return "\n".join(citation_forms.bibtex(reference(number, title)) for number, title in enumerate(TITLES))


def compiled(bibliography: str, backend: str) -> str:
    return str(PybtexEngine().format_from_string(bibliography, style="plain", citations=["*"], output_backend=backend))


def test_compiled_for_reading_every_title_is_as_it_was(bibliography: str) -> None:
    page = unescape(re.sub(r"<[^>]*>", "", compiled(bibliography, "html")))
    flat = re.sub(r"\s+", " ", page.replace("\u00a0", " "))
    for number, title in enumerate(TITLES):
        if not set(title) & UNREAD:
            assert f"{title}." in flat
        assert f"https://example.org/bench_book/#{number}/fig-{number}.html" in flat


def test_compiled_for_latex_no_sign_is_left_that_latex_reads_as_its_own(bibliography: str) -> None:
    text = compiled(bibliography, "latex")
    assert text.count(r"\bibitem") == 10
    bare = re.sub(r"\\url{[^}]*}", "", text)
    assert not re.search(r"(?<!\\)[$^%#&_]", bare)
    assert bare.count("{") == bare.count("}")
