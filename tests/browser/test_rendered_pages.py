"""Every page in a real browser: at a desk, on paper, in the dark and on a phone.

Nothing fails, nothing is asked of the network, no chapter weighs more than 6.2 MB with all of its figures, 4.8 of them
plotly.js, every figure is drawn and described, nothing runs off a phone's screen or off paper, and axe-core finds
nothing serious. A page is opened once and then changed; some are opened in each view, for what the last one may have
left.
"""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

import figures_of_a_page
import pytest
from looks import LETTER_PX, PHONE_PX, on_paper, take_colours, take_width, to_paper

pytestmark = pytest.mark.browser

PARTS = 6
"""In which the pages are looked at, as several workers may."""
UNDRAWN = ("book/learned.html", "book/methods.html")
"""Pages that must not fetch what only drawings need."""
DRAWN = ("book/index.html", "book/threats.html")
"""Pages with a drawing besides the chapters."""
SAMPLE = "book/chapters/sample.html"
REAL = "book/chapters/io_cliff.html"
"""The chapter that stands for all others beside the sample; in the whole book all are looked at."""
TEMPLATES = {
    "search.html", "book/index.html", "book/verdicts.html", "book/figures.html", "book/runs.html", "book/advice.html",
    "book/reexecute.html", SAMPLE, REAL,
}  # fmt: skip
"""A page of each kind: what every test run looks at. The long one looks at all pages of the whole book."""
FRESH = (SAMPLE, "book/index.html", "book/verdicts.html")
"""Pages that are opened in every view: with figures, with figures that come later, with tables and a form."""

EXTERNAL = re.compile(
    r"""<(?:script|img|iframe|source|embed|object|video|audio|link(?![^>]*rel="canonical"))\b[^>]*"""
    r"""\b(?:src|href|data)\s*=\s*["']?(?:https?:)?//""",
    re.IGNORECASE,
)


# Where the titles and labels of axes and the words of legends begin and end; small pictures are made far off the page.
TITLES = """() => [
    ...document.querySelectorAll('.benchbook-drawing :is(.xtitle, .xtick text, .legendtext)')
].map(text => {
    const { left, right } = text.getBoundingClientRect();
    return { left, right, text: text.textContent };
})"""


def outside(requests: list[str], address: str) -> list[str]:
    return [url for url in requests if not url.startswith((address, "data:", "blob:"))]


def weight(visit: Any, book: Any) -> int:
    """Bytes of all files that a page asked for, uncompressed."""
    asked = {unquote(urlsplit(url).path) for url in visit.requests if url.startswith(book.address)}
    return sum((book.folder / path.lstrip("/")).stat().st_size for path in asked)


PRECEDES = "(one, other) => !!(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING)"
VISIBLE_TABLES = """() => [...document.querySelectorAll("article table")]
    .map(table => [table, table.getBoundingClientRect()])
    .filter(([table, box]) => table.checkVisibility({visibilityProperty: true}) && box.width && box.height)
    .map(([table, box]) => [box.right, table.innerText.slice(0, 60)])"""
"""Right edge and first words; asked at once, for some pages have hundreds."""
CUT_BELOW = """() => [...document.querySelectorAll(".benchbook-drawing")]
    .filter(box => [...box.querySelectorAll("svg.main-svg")]
        .some(svg => svg.getBoundingClientRect().bottom > box.getBoundingClientRect().bottom + 1))
    .map(box => box.dataset.figure)"""
BARE = """() => [...document.querySelectorAll("article section")].filter(section => section.checkVisibility())
    .filter(section => ![...section.children].some(
        part => !/^H[1-6]$/.test(part.tagName) && part.checkVisibility() && part.getBoundingClientRect().height))
    .map(section => section.innerText.slice(0, 60))"""
"""Headings with nothing below them."""
DRAWINGS = """() => [...document.querySelectorAll(".benchbook-drawing svg.main-svg")]
    .map(drawing => drawing.getBoundingClientRect()).map(box => [box.right, box.width])"""


SCREENS, SCREEN_PX, WORDS = 12, 900, 2500
"""What a chapter may take before anything is unfolded."""
LENGTH = """() => {
    const folds = [...document.querySelectorAll("details.benchbook-evidence[open]")];
    folds.forEach(fold => { fold.open = false; });
    const words = [...document.querySelectorAll("article :is(p, li, h1, h2, h3)")]
        .filter(each => !each.querySelector("p") && !each.closest("table, .benchbook-source") && each.checkVisibility())
        .reduce((sum, each) => sum + each.innerText.split(/\\s+/).filter(Boolean).length, 0);
    const { height } = document.querySelector("article").getBoundingClientRect();
    folds.forEach(fold => { fold.open = true; });
    return [height, words];
}"""


def problems_of_length(page: Any) -> Iterator[str]:
    height, words = page.evaluate(LENGTH)
    if height > SCREENS * SCREEN_PX:
        yield f"it takes {height / SCREEN_PX:.1f} screens of {SCREEN_PX} px"
    if words > WORDS:
        yield f"it has {words:,} words"


def problems_when_opened(name: str, visit: Any, book: Any) -> Iterator[str]:
    visit.page.wait_for_load_state("networkidle")
    yield from (f"it asks for {url}" for url in outside(visit.requests, book.address))
    if not visit.page.title().strip():
        yield "it has no title"
    loaded = sum("plotly.min.js" in url for url in visit.requests)
    if (is_drawn(name, book) and loaded != 1) or (name in UNDRAWN and loaded):
        yield f"it loads plotly.js {loaded} times"
    if name in book.chapters and not 4_000_000 < weight(visit, book) < 6_200_000:
        yield f"it weighs {weight(visit, book):,} bytes"


def problems_on_paper(name: str, page: Any, book: Any) -> Iterator[str]:
    """Figures that leave the column of the paper, and tables that lose columns of theirs."""
    if page.locator("article").count() == 0:
        return  # the page of the search prints nothing of its own
    right = page.evaluate("document.querySelector('article').getBoundingClientRect().right")
    drawings = page.evaluate(DRAWINGS)
    if name in book.chapters and not drawings:
        yield "it has no drawings on paper"
    yield from (f"on paper nothing stands below the heading {words}" for words in page.evaluate(BARE))
    if "Click to enter" in "".join(page.locator(".benchbook-drawing").all_inner_texts()):
        yield "an axis without a title shows Plotly's invitation to enter one"
    for edge, width in drawings:
        if width <= 0 or edge > min(right, LETTER_PX):
            yield f"a drawing is {width} px wide on paper and ends at {edge} px"
    for edge, words in page.evaluate(VISIBLE_TABLES):
        if edge > min(right, LETTER_PX) + 1:
            yield f"a table ends at {edge} px of the paper: {words}"


def problems_on_a_phone(name: str, page: Any, book: Any, findings: Any) -> Iterator[str]:
    width = page.evaluate("document.documentElement.scrollWidth")
    if width > PHONE_PX:
        yield f"it is {width} px wide"
    titles = page.evaluate(TITLES)
    if name in book.chapters and not titles:
        yield "its figures have no titles"
    for text in titles:
        if text["left"] < 0 or text["right"] > PHONE_PX:
            yield f"it cuts off {text}"
    yield from (f"the place of {identity} ends above its drawing" for identity in page.evaluate(CUT_BELOW))
    # Rows further down are made like these.
    yield from findings(page, looks=False, rows=5)


def is_drawn(name: str, book: Any) -> bool:
    return name in (*book.chapters, *DRAWN)


def is_looked_at(name: str, book: Any) -> bool:
    """Whether a page is opened; one of each kind stands for what they share, unless the book is whole."""
    return book.whole or name in TEMPLATES


def problems_in_turn(name: str, visit: Any, book: Any, findings: Any) -> Iterator[str]:
    """What is wrong with a page that is opened once; that on which figures are drawn is no longer one for a phone."""
    page = visit.page

    def found(page: Any, **how: Any) -> Iterator[str]:
        heard = len(visit.complaints)
        yield from findings(page, **how)
        del visit.complaints[heard:]  # axe-core asks for style sheets by addresses that are not the page's

    yield from problems_when_opened(name, visit, book)
    if name in book.unmeasured and "No run of this chapter is published yet" not in page.inner_text("article"):
        yield "it shows no run and does not say so"
    if name in book.chapters:
        yield from figures_of_a_page.problems(page)
        yield from problems_of_length(page)
    with on_paper(page):
        yield from problems_on_paper(name, page, book)
    if name in book.chapters:
        yield from figures_of_a_page.problems_of_their_data(page)
    yield from found(page, others=False)
    take_colours(page, "dark")
    yield from found(page, others=False)
    take_colours(page, "light")
    yield from found(page, looks=False, rows=40)
    if not is_drawn(name, book):
        take_width(page, PHONE_PX)
        yield from problems_on_a_phone(name, page, book, found)
    yield from visit.complaints


def problems(name: str, reader: Any, findings: Any) -> list[str]:
    """What is wrong with a page, in every view."""
    visit = reader.open(name)
    found = list(problems_in_turn(name, visit, reader.book, findings))
    visit.page.context.close()
    if is_drawn(name, reader.book):
        visit = reader.open(name, width=PHONE_PX)
        found += problems_on_a_phone(name, visit.page, reader.book, findings)
        visit.page.context.close()
    return found


@pytest.mark.parametrize("part", range(PARTS))
def test_no_page_has_a_problem(reader: Any, findings: Any, part: int) -> None:
    book = reader.book
    assert len(book.pages) >= 7
    names = [name for name in ("search.html", "genindex.html", *book.pages) if is_looked_at(name, book)]
    assert {*names} >= TEMPLATES
    found = {name: problems(name, reader, findings) for name in names[part::PARTS]}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=() if each == SAMPLE else pytest.mark.long) for each in FRESH]
)
def test_no_page_that_is_opened_in_the_dark_on_a_phone_or_to_be_printed_has_a_problem(
    reader: Any, findings: Any, name: str
) -> None:
    book = reader.book
    dark = reader.open(name, scheme="dark")
    found = [*dark.complaints, *findings(dark.page, others=False)]
    phone = reader.open(name, width=PHONE_PX)
    found += [*phone.complaints, *problems_on_a_phone(name, phone.page, book, findings)]
    paper = reader.open(name, scheme="dark")
    to_paper(paper.page)
    found += [*problems_on_paper(name, paper.page, book), *paper.complaints]
    assert paper.page.evaluate(VISIBLE_TABLES) or name == "book/index.html", "tables are printed"
    assert found == []


def test_pages_open_from_the_folder_without_a_server_and_its_address_leads_to_the_front_page(reader: Any) -> None:
    served, folder = reader.book.address, reader.book.folder.as_uri() + "/"
    names = ("index.html", "book/verdicts.html", "book/runs.html", SAMPLE)
    for name, address in (("index.html", served), *((name, folder) for name in names)):
        visit = reader.open(name, address=address)
        visit.page.wait_for_url("**/book/index.html" if name == "index.html" else f"**/{name}")
        assert visit.complaints == [], name
        assert outside(visit.requests, address) == [], name


def test_no_page_or_style_refers_to_a_script_style_picture_or_font_elsewhere(built_book: Any) -> None:
    for path in built_book.folder.rglob("*.html"):
        assert EXTERNAL.findall(path.read_text("utf-8")) == [], path.name
    for path in built_book.folder.rglob("*.css"):
        text = path.read_text("utf-8")
        assert not re.search(r"""(?:url\(|@import)\s*["']?(?:https?:)?//""", text), path.name


def test_the_front_page_says_what_was_found_and_leads_from_its_figure_to_the_chapter(reader: Any) -> None:
    page = reader.open("book/index.html").page
    assert re.search(r"The ledger has \d+ claims: ", page.inner_text("p.benchbook-summary"))
    state = r"Benchbook \d+\.\d+\.\d+(\.dev\d+)?, data [0-9a-f]{12}, measured up to 20.*"
    assert re.fullmatch(state, page.inner_text("p.benchbook-edition"))
    drawings = page.locator(".benchbook-drawing")
    one, other = page.query_selector_all(".benchbook-drawing")
    assert one.bounding_box()["y"] == other.bounding_box()["y"], "beside each other"
    assert page.query_selector(".benchbook-story").evaluate(PRECEDES, one), "the notes come first"
    identity = drawings.first.get_attribute("data-figure")
    assert page.locator(f"#{identity}").count() == 0, "the figure itself stands in its chapter"
    page.locator("p.benchbook-again a").first.click()
    page.wait_for_url(f"**#{identity}")
    assert page.locator(f"figure#{identity}").count() == 1


def test_one_screen_tells_of_each_note_what_it_says_what_is_true_what_to_do_and_how_sure(reader: Any) -> None:
    page = reader.open("book/index.html", drawn=False).page
    screen = page.viewport_size
    assert screen == {"width": 1280, "height": 900}
    rows = page.locator(".benchbook-story tbody tr")
    assert rows.count() == 5
    for row in rows.all():
        says, found, do, sure = row.locator("td").all()
        assert says.locator("strong").count() == 1
        assert re.search(r"\d.*\[", found.inner_text()), "a number with its interval"
        assert do.inner_text().strip()
        assert re.search(r"[●○]{3}\s(first result|\d\svisits)$", sure.inner_text())
        assert says.locator("a").get_attribute("href").startswith("trials/note_")
    bars = page.locator(".benchbook-main .benchbook-bar").all()
    ways = page.locator(".benchbook-main .benchbook-way").all_inner_texts()
    named = [re.sub(r"\d+ ", "", each) for each in ways[:2]]
    assert named == ["measured here or decided by construction", "from the notes’ own reports and numbers"]
    story = page.locator(".benchbook-story")
    for part in (*bars, story):
        box = part.bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= screen["width"]
    assert story.bounding_box()["y"] + story.bounding_box()["height"] <= screen["height"]
    sizes = rows.locator("td").evaluate_all("all => all.map(each => parseFloat(getComputedStyle(each).fontSize))")
    assert min(sizes) >= 16


def test_on_a_phone_the_five_rows_take_three_screens(reader: Any) -> None:
    page = reader.open("book/index.html", width=PHONE_PX, drawn=False).page
    box = page.locator(".benchbook-story").bounding_box()
    assert box["y"] + box["height"] <= 3 * 900


def test_the_search_finds_what_to_do(reader: Any) -> None:
    page = reader.open("search.html?q=shared_buffers+big").page
    page.wait_for_selector("#search-results li a")
    found = page.locator("#search-results li a").evaluate_all("all => all.map(each => each.getAttribute('href'))")
    assert re.search(r"book/(advice|questions/|trials/)", found[0]), found[:5]
    assert any("book/advice.html" in each for each in found[:5]), found[:5]


@pytest.mark.long
def test_only_the_page_of_the_search_loads_its_index(reader: Any) -> None:
    assert any("searchindex.js" in url for url in reader.open("search.html").requests)
    for name in ("genindex.html", "book/glossary.html", reader.book.chapters[0]):
        assert not any("search" in url for url in reader.open(name).requests), name


@pytest.mark.long
def test_a_search_without_a_server_has_excerpts_too(reader: Any) -> None:
    asked = "search.html?q=cliff"
    found = []
    for address in (f"{reader.book.folder.as_uri()}/", reader.book.address):
        visit = reader.open(asked, address=address)
        visit.page.wait_for_selector("#search-results li p.context")
        visit.page.wait_for_function(
            "() => document.querySelectorAll('#search-results li p.context').length > 2"
            " && /finished/.test(document.querySelector('.search-summary').innerText)"
        )
        found.append(visit.page.locator("#search-results li p.context").all_inner_texts())
        if address.startswith("file:"):  # parsing a whole page, the search meets the theme's handlers and is told so
            assert visit.complaints == []
    folder, served = found
    assert len(folder) > 2
    assert sum("cliff" in each.lower() for each in folder) > len(folder) / 2
    assert sum("cliff" in each.lower() for each in served) > len(served) / 2


@pytest.mark.long
def test_on_a_phone_the_front_page_is_small_until_a_reader_comes_to_its_figure(reader: Any) -> None:
    visit = reader.open("book/index.html", width=390, height=300, drawn=False)
    visit.page.wait_for_load_state("networkidle")
    assert 50_000 < weight(visit, reader.book) < 1_000_000
    assert not any("plotly" in url for url in visit.requests)
    drawing = visit.page.locator(".benchbook-drawing").first
    drawing.scroll_into_view_if_needed()
    visit.page.wait_for_selector(".benchbook-drawing[data-drawn=yes]")
    assert sum("plotly" in url for url in visit.requests) == 1
    assert visit.complaints == []


def test_icons_are_drawn_by_a_font_without_the_theme_s_script_for_them(reader: Any) -> None:
    visit = reader.open("book/glossary.html")
    assert not any("fontawesome.js" in url for url in visit.requests)
    visit.page.evaluate("document.fonts.ready")
    loaded = "[...document.fonts].some(font => /Awesome/.test(font.family) && font.status === 'loaded')"
    assert visit.page.evaluate(loaded)
    icons = visit.page.locator("i[class*='fa-']:visible")
    assert icons.count() >= 3
    assert all(box["width"] > 8 for box in (icon.bounding_box() for icon in icons.all()))
    drawn = icons.evaluate_all("all => all.map(icon => getComputedStyle(icon, '::before').content)")
    assert all(re.fullmatch(r'"[^"]+"', each) for each in drawn), drawn


def test_every_page_names_an_icon_that_the_book_holds(built_book: Any) -> None:
    for name in built_book.pages:
        page = built_book.folder / name
        found = re.findall(r'<link rel="icon" href="([^"]+)"', page.read_text("utf-8"))
        assert len(found) == 1, name
        assert (page.parent / found[0].partition("?")[0]).read_bytes().startswith(b"<svg"), name
