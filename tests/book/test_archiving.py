"""A small rendered book as one file: pages in order, ids once, every link somewhere, nothing loaded from elsewhere."""

import base64
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from benchbook.book.onefile import archive
from benchbook.book.pages.around import everywhere
from benchbook.errors import BenchbookError

ICON = '<link rel="icon" href="../_static/favicon.svg">'
STATIC = ("archive.css", "archive.js", "page.css", "page.js", "clipboard.js")
FRAME = """<!DOCTYPE html><html lang="en"><head><title>{title} — Small</title>
<link rel="stylesheet" href="../_static/page.css?v=1"><link rel="canonical" href="https://small.example/{path}">
<script src="../_static/page.js"></script><script src="../_static/scripts/theme.js"></script></head>
<body><p class="logo__title">Small</p><nav class="bd-docs-nav"><p class="caption">Part</p>
<a class="reference internal" href="../book/index.html">Home</a>
<a class="reference internal" href="../book/one.html">One</a></nav>
<article class="bd-article">{body}</article></body></html>"""
HOME = """<section id="home"><h1>Home</h1><a href="one.html#shared">to one</a><a href="#shared">here</a>
<a href="../genindex.html">index</a><a href="https://elsewhere.example/">out</a>
<a href="../figures/fig-a.html">figure</a><label for="shared">x</label><p id="shared">first</p></section>"""
ONE = """<section id="one"><h1>One</h1><p id="shared">second</p><a href="index.html#shared">back</a>
<a href="index.html">home</a><img src="../_images/a.png" alt="a">
<a class="benchbook-thumbnail" href="../figures/fig-a.html"><img src="../f.svg" alt=""></a>
<div class="benchbook-figure-block"><figure class="benchbook-figure" id="fig-a">
<div class="benchbook-drawing" data-figure="fig-a"><script type="application/json">{"a":"\\u003c&"}</script></div>
<figcaption>Words</figcaption></figure>
<div class="benchbook-take" data-figure="fig-a"><button data-suffix="png">PNG</button></div>
<p class="benchbook-files"><a href="../figures/fig-a.html">Page</a> · <a download href="../figures/fig-a.csv">CSV</a> ·
<a download href="../figures/fig-a.metadata.json">record</a> · <a download href="../figures/fig-a.svg">SVG</a></p>
</div></section>"""


@pytest.fixture
def rendered(tmp_path: Path) -> Path:
    folder = tmp_path / "_build" / "html"
    for name in ("book", "_static/scripts", "_images", "figures"):
        (folder / name).mkdir(parents=True)
    for name in STATIC:
        (folder / "_static" / name).write_text(f"/* {name} */")
    (folder / "_images" / "a.png").write_bytes(b"png")
    (folder / "figures" / "fig-a.csv").write_text("x\n1\n")
    (folder / "figures" / "fig-a.metadata.json").write_text("{}")
    (folder / "index.html").write_text('<meta http-equiv="Refresh" content="0; url=book/index.html" />')
    for name, title, body in (("index", "Home", HOME), ("one", "One", ONE)):
        page = FRAME.format(title=title, path=f"book/{name}.html", body=body)
        (folder / "book" / f"{name}.html").write_text(page)
    return folder


def composed(rendered: Path) -> BeautifulSoup:
    return BeautifulSoup(archive.compose(rendered), "html.parser")


@pytest.fixture
def one_file(rendered: Path) -> BeautifulSoup:
    return composed(rendered)


def hrefs(page: BeautifulSoup) -> dict[str, str]:
    return {link.get_text(): str(link.get("href", "")) for link in page.select("article a")}


def test_every_page_is_there_once_in_the_order_of_the_contents(one_file: BeautifulSoup) -> None:
    assert [article["id"] for article in one_file.find_all("article")] == ["page-book-index", "page-book-one"]
    assert [link["href"] for link in one_file.select("nav a")] == ["#page-book-index", "#page-book-one"]
    assert one_file.title.get_text() == "Small"
    assert one_file.select_one("nav p").get_text() == "Part"


def test_what_a_book_of_local_runs_says_at_its_head_is_said_once(rendered: Path, one_file: BeautifulSoup) -> None:
    assert everywhere("published") == everywhere("edition") == ""
    assert not one_file.select(".benchbook-archive-own")
    for path in (rendered / "book").glob("*.html"):
        aside = f'<body><aside class="bd-header-announcement"><div>\n{everywhere("local")}\n</div></aside>'
        path.write_text(path.read_text().replace("<body>", aside))
    page = composed(rendered)
    (said,) = page.select("header p.benchbook-archive-own")
    assert said.decode_contents() == everywhere("local")
    assert "made on this machine" in said.get_text()
    assert "announcement" not in str(page.body)


def test_no_id_stands_twice_and_what_refers_to_one_follows_it(one_file: BeautifulSoup) -> None:
    found = [tag["id"] for tag in one_file.find_all(id=True)]
    assert len(found) == len(set(found))
    assert one_file.find(id="shared").get_text() == "first", "the first page keeps it"
    assert one_file.find(id="page-book-one--shared").get_text() == "second"
    assert one_file.label["for"] == "shared"


def test_links_lead_inside_the_file_or_to_the_books_address(one_file: BeautifulSoup) -> None:
    found = hrefs(one_file)
    assert found["to one"] == "#page-book-one--shared"
    assert found["here"] == found["back"] == "#shared"
    assert found["home"] == "#page-book-index"
    assert found["figure"] == "#fig-a"
    assert found["out"] == "https://elsewhere.example/"
    assert found["index"] == "https://small.example/genindex.html"
    inside = {href[1:] for href in found.values() if href.startswith("#")}
    assert inside <= {tag["id"] for tag in one_file.find_all(id=True)}


def test_a_books_page_without_an_address_keeps_the_words_alone(rendered: Path) -> None:
    home = rendered / "book" / "index.html"
    home.write_text(re.sub(r'<link rel="canonical"[^>]*>', "", home.read_text()))
    page = composed(rendered)
    assert "index" not in hrefs(page)
    assert any(tag.get_text() == "index" for tag in page.select("article span"))


def test_tables_and_records_travel_along_and_drawings_are_made_on_the_page(one_file: BeautifulSoup) -> None:
    line = one_file.select_one("p.benchbook-files")
    assert line.get_text() == "CSV · record"
    table, record = line.find_all("a")
    assert base64.b64decode(table["href"].partition(",")[2]) == b"x\n1\n"
    assert (table["download"], record["download"]) == ("fig-a.csv", "fig-a.metadata.json")
    assert [button["data-suffix"] for button in one_file.select(".benchbook-take button")] == ["svg", "png"]
    assert one_file.select_one("figure + .benchbook-take")["data-figure"] == "fig-a"


def test_what_pages_load_is_in_the_file_once_and_nothing_of_the_themes_frame(one_file: BeautifulSoup) -> None:
    assert one_file.select(".benchbook-thumbnail") == [], "small copies of drawings"
    (picture,) = one_file.find_all("img")
    assert picture["src"] == f"data:image/png;base64,{base64.b64encode(b'png').decode()}"
    text = str(one_file)
    assert not one_file.find_all("script", src=True)
    assert not one_file.find_all("link")
    for name in ("archive.css", "archive.js", "page.css", "page.js"):
        assert text.count(f"/* {name} */") == 1, name
    assert "theme.js" not in text
    assert '{"a":"\\u003c&"}' in text, "data of a drawing stay as they were"


@pytest.mark.parametrize("name", ["book/one.html", "_static/page.js", "_images/a.png", "_static/archive.css"])
def test_a_page_or_file_that_is_missing_is_named(rendered: Path, name: str) -> None:
    (rendered / name).unlink()
    with pytest.raises(BenchbookError, match=re.escape(name)):
        archive.compose(rendered)


def test_a_page_without_an_article_is_named(rendered: Path) -> None:
    (rendered / "book" / "one.html").write_text("<html></html>")
    with pytest.raises(BenchbookError, match=r"book/one\.html .* no article"):
        archive.compose(rendered)


def test_without_a_book_it_is_said_how_to_build_one(tmp_path: Path) -> None:
    with pytest.raises(BenchbookError, match="no book has been built") as caught:
        archive.of(tmp_path)
    assert "benchbook build" in caught.value.mend


def test_the_book_of_a_project_is_the_one_in_its_build_folder_and_always_the_same(rendered: Path) -> None:
    assert archive.of(rendered.parents[1]) == archive.compose(rendered)


def test_the_books_icon_is_in_the_file_where_the_book_has_one(rendered: Path, one_file: BeautifulSoup) -> None:
    assert one_file.select('link[rel="icon"]') == []
    (rendered / "_static" / "favicon.svg").write_text("<svg/>")
    for page in (rendered / "book").glob("*.html"):
        page.write_text(page.read_text().replace("</head>", f"{ICON}</head>"))
    (link,) = composed(rendered).select('link[rel="icon"]')
    assert link["href"] == f"data:image/svg+xml;base64,{base64.b64encode(b'<svg/>').decode()}"
