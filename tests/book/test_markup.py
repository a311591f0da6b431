"""What the theme and MyST-NB write although HTML does not allow it is mended in finished pages."""

from bs4 import BeautifulSoup

from benchbook.book.parts import markup

PAGE = """<head>
<meta name="viewport" content="width=device-width, initial-scale=1.0" /><meta name="viewport" content="width=1" />
<meta name="viewport" content="width=2"/>
</head>
<summary aria-label="Toggle hidden content">
<p class="collapsed admonition-title">Show <em>code</em></p>
<p class="expanded admonition-title">Hide code</p>
</summary>
<p>A paragraph.</p>
<style scoped="">
td { color: red }
</style>
<table></table>"""


def test_a_page_keeps_its_first_viewport_alone() -> None:
    [meta] = BeautifulSoup(markup.mended(PAGE), "html.parser").select("meta")
    assert meta["content"] == "width=device-width, initial-scale=1.0"


def test_a_line_to_click_on_holds_phrases_and_is_named_by_its_own_words() -> None:
    page = BeautifulSoup(markup.mended(PAGE), "html.parser")
    assert not page.select("summary p")
    assert [each.get_text() for each in page.select("summary > span.admonition-title")] == ["Show code", "Hide code"]
    assert not page.select("summary[aria-label]"), "it would hide the words from who hears them"
    assert [each.get_text() for each in page.select("p")] == ["A paragraph."]


def test_no_style_stands_in_the_text_and_nothing_else_changes() -> None:
    made = markup.mended(PAGE)
    assert made.endswith("<p>A paragraph.</p>\n<table></table>")
    assert markup.mended("<p>one</p>") == "<p>one</p>"
    assert markup.mended(made) == made
