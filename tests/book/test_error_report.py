"""A reader who finds an error is led to a new issue that names the page and the state of the book."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from bs4 import BeautifulSoup

from benchbook.book.pages import around

PAGE, TITLE, STATE = "book/chapters/lru", "A larger cache of rows", "Benchbook 1.2.3, data 0123456789ab"


def test_the_issue_names_the_page_and_the_state_of_the_book() -> None:
    for repository in ("https://github.com/who/book", "https://github.com/who/book/", "https://code.example/w/b.git"):
        made = urlsplit(around.report_address(repository, PAGE, TITLE, STATE))
        assert made.path.endswith(("/book/issues/new", "/b/issues/new"))
        assert parse_qs(made.query)["title"] == [f"Error on the page “{TITLE}”"]
        [body] = parse_qs(made.query)["body"]
        assert body.startswith(f"Page: {PAGE}\nBook: {STATE}\n")


def test_gitlab_is_asked_in_its_own_words() -> None:
    made = urlsplit(around.report_address("https://gitlab.com/who/book", PAGE, "", STATE))
    assert made.path == "/who/book/-/issues/new"
    assert parse_qs(made.query)["issue[title]"] == [f"Error on the page {PAGE}"]


@pytest.mark.parametrize("repository", ["", "who/book", "javascript:alert(1)", "https://"])
def test_without_an_address_of_a_repository_there_is_no_link(repository: str) -> None:
    assert around.report_address(repository, PAGE, TITLE, STATE) == ""


def footer(root: Path, options: dict[str, Any]) -> BeautifulSoup:
    app: Any = SimpleNamespace(srcdir=str(root), config=SimpleNamespace(html_theme_options=options))
    context: dict[str, Any] = {"title": "<em>A &amp; B</em>"}
    around.add_state(app, PAGE, "page.html", context, None)
    return BeautifulSoup(context["theme_extra_footer"], "html.parser")


def test_the_link_stands_below_a_page_where_the_book_names_its_repository(tmp_path: Path) -> None:
    [link] = footer(tmp_path, {"repository_url": "https://github.com/who/book"}).select("p.benchbook-edition a")
    assert link.get_text() == "Report an error on this page"
    asked = parse_qs(urlsplit(str(link["href"])).query)
    assert asked["title"] == ["Error on the page “A & B”"]
    assert "Benchbook " in asked["body"][0]
    for options in ({}, {"repository_url": ""}):
        assert not footer(tmp_path, options).select("a")
