"""Pages run the book's scripts and no other: whatever stands in data, and whatever an address says."""

from collections.abc import Iterator
from typing import Any

import attacks
import pytest
from conftest import served

pytestmark = pytest.mark.browser

SAMPLE, PLAIN = "book/chapters/sample.html", "book/cite.html"


def test_words_from_data_are_shown_in_text_and_drawings_and_do_nothing(reader: Any) -> None:
    visit = reader.open(SAMPLE)
    page = visit.page
    assert page.evaluate("window.planted") is None
    assert visit.complaints == [], "nothing even tried"
    text = page.locator("article").inner_text()
    for shown in (
        "<script>window.planted = 1</script><img src=x onerror=",
        "[a link](javascript:window.planted=1)",
        "[another](https://example.org/)",
        "{download}",
        "{{ 7 * 7 }}",
    ):
        assert shown in text.replace("’", "'").replace("\u00a0", " "), shown
    links = "article a[href^='javascript'], article a[href*='example.org'], article a.download"
    assert page.locator(links).count() == 0
    box = page.locator(".benchbook-drawing[data-figure=fig-sample-words]")
    assert box.locator("svg a").count() == 0
    drawn = box.locator("svg.main-svg").first.text_content()
    assert "<a href='//a.b'>x</a>" in drawn
    assert "<b onclick=a>y" in drawn
    assert "<br>" not in drawn, "a line break is one"


@pytest.fixture(scope="module", params=["from a folder", "served"])
def attacked(
    request: pytest.FixtureRequest, built_book: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of a copy of the book in which one page has scripts that are not the book's."""
    folder = tmp_path_factory.mktemp("attacked")
    (folder / "book").mkdir()
    (folder / "_static").symlink_to(built_book.folder / "_static")
    page = (built_book.folder / PLAIN).read_text("utf-8")
    (folder / PLAIN).write_text(page.replace("</article>", f"{attacks.ATTACKS}</article>"), "utf-8")
    if request.param == "from a folder":
        yield f"{folder.as_uri()}/"
        return
    with served(folder) as address:
        yield address


def test_no_other_script_runs_and_the_theme_s_own_do(reader: Any, attacked: str) -> None:
    page = reader.open(PLAIN, address=attacked, drawn=False).page
    assert attacks.ran(page) is None
    # The lines that the theme writes into every page, its files, and what its buttons do.
    made = page.evaluate("[document.documentElement.dataset.theme, DOCUMENTATION_OPTIONS.pagename]")
    assert made == ["light", "book/cite"]
    page.evaluate("window.toggleFullScreen = () => { window.asked = true; }")
    page.locator("button.btn-fullscreen-button").first.click()
    assert page.evaluate("window.asked") is True
    assert page.locator("button.copybtn").count() > 0


@pytest.mark.parametrize(
    ("name", "fragment"),
    [
        (SAMPLE, "%"),
        ("book/verdicts.html", "claim-%ZZ"),
        pytest.param(SAMPLE, "100%25", marks=pytest.mark.long),
    ],
)
def test_an_address_that_encodes_nothing_breaks_no_script(reader: Any, name: str, fragment: str) -> None:
    visit = reader.open(f"{name}#{fragment}")
    assert visit.complaints == []
    if "verdicts" in name:
        assert visit.page.locator("form.benchbook-filters").is_visible()
    visit.page.evaluate("location.hash = '%'")
    visit.page.wait_for_timeout(50)
    assert visit.complaints == []
