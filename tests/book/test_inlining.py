"""Files become part of the page: addresses, styles with what they import, scripts that cannot end their element."""

import base64
from pathlib import Path

import pytest

from benchbook.book.onefile import inlining
from benchbook.errors import BenchbookError


@pytest.mark.parametrize(
    ("page", "link", "path"),
    [
        ("book/chapters/cost.html", "../../_static/a.css?v=3", "_static/a.css"),
        ("book/index.html", "chapters/cost.html#fig-a", "book/chapters/cost.html"),
        ("book/index.html", "#here", "book/index.html"),
        ("index.html", "a%20b.csv", "a b.csv"),
    ],
)
def test_a_link_is_seen_from_the_top_of_the_book(page: str, link: str, path: str) -> None:
    assert inlining.address(page, link) == path


@pytest.mark.parametrize(
    ("link", "out"), [("https://example.org/a", True), ("//example.org", True), ("mailto:a@b", True), ("a.html", False)]
)
def test_links_out_of_the_book_name_a_scheme_or_a_host(link: str, out: bool) -> None:
    assert inlining.is_elsewhere(link) is out


def test_an_address_of_its_own_holds_the_bytes_and_their_type() -> None:
    head, _, tail = inlining.data_uri("figures/a.CSV", "x,µ\n".encode()).partition(",")
    assert head == "data:text/csv;charset=utf-8;base64"
    assert base64.b64decode(tail).decode() == "x,µ\n"
    assert inlining.data_uri("a.png", b"").startswith("data:image/png;base64,")
    assert inlining.data_uri("a.bib", b"").startswith("data:text/plain;")


def test_a_style_takes_along_what_it_imports_and_shows(tmp_path: Path) -> None:
    (tmp_path / "styles").mkdir()
    (tmp_path / "fonts").mkdir()
    (tmp_path / "fonts" / "a.woff2").write_bytes(b"font")
    (tmp_path / "basic.css").write_text("p { color: red }")
    kept = """b { background: url("data:image/svg+xml,%3Cuse href='url(%23a)'/%3E") }"""
    fonts = "url(../fonts/a.woff2?v=1) format('woff2'), url('../fonts/a.ttf')"
    (tmp_path / "styles" / "all.css").write_text(f'@import "../basic.css";\n@font-face {{ src: {fonts} }}\n{kept}')
    text = inlining.style(tmp_path, "styles/all.css")
    assert text.startswith("p { color: red }")
    assert f"url(data:font/woff2;base64,{base64.b64encode(b'font').decode()}) format('woff2')" in text
    assert "url(data:,)" in text, "an older kind of the same font is not needed"
    assert text.endswith(kept)


def test_a_script_cannot_end_its_element(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('x = "</script><!--";\n//# sourceMappingURL=a.js.map\n')
    text = inlining.script(tmp_path, "a.js")
    assert text.strip() == r'x = "<\/script><\!--";'


@pytest.mark.parametrize("path", ["absent.css", "../outside.css"])
def test_a_missing_file_is_named_with_the_page_that_refers_to_it(tmp_path: Path, path: str) -> None:
    (tmp_path / "html").mkdir()
    (tmp_path / "outside.css").write_text("")
    with pytest.raises(BenchbookError, match=f"a page refers to.*{path}") as caught:
        inlining.style(tmp_path / "html", path)
    assert "build the book again" in caught.value.mend
