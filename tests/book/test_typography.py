"""A number and its unit stay on one line, apostrophes are round, and what a reader copies stays as it was."""

import pytest
from docutils import nodes
from docutils.utils import new_document

from benchbook.book.parts import typography

HELD = "\u00a0"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("95 % intervals", "95_% intervals"),
        ("−23 % at 37.5 %.", "−23_% at 37.5_%."),
        ("0.296 [0.248, 0.352] µs, 12 ns", "0.296 [0.248,_0.352]_µs, 12_ns"),
        ("[−0.1, −1.2e-05] or [9,430, 10,490], 3, 4 (1, 2)", "[−0.1,_−1.2e-05] or [9,430,_10,490], 3, 4 (1, 2)"),
        ("1 MiB, 2 GiB, 4 kB (5 s)", "1_MiB, 2_GiB, 4_kB (5_s)"),
        ("5 seconds in 3 small steps", "5 seconds in 3 small steps"),
        ("10 runs, 4 host names", "10 runs, 4 host names"),
        ("as a % of it", "as a % of it"),
        ("95_% held", "95_% held"),
        ("", ""),
    ],
)
def test_the_space_before_a_unit_does_not_break(text: str, expected: str) -> None:
    assert typography.unbroken(text.replace("_", HELD)) == expected.replace("_", HELD)


def test_words_of_a_page_are_mended_and_commands_and_names_are_not() -> None:
    page = new_document("page")
    page += nodes.paragraph("", "", nodes.Text("About 5 % of "), nodes.literal("", "5 %"), nodes.strong("", "7 ms"))
    page += nodes.paragraph("", "", nodes.Text("A query's time, the notes' numbers, it isn't 'so"))
    page += nodes.literal_block("", "sleep 5 s; echo it's")
    page += nodes.raw("", "<b>5 %</b>", format="html")
    typography.mend(page)
    paragraph, quoted, command, raw = page.children
    assert quoted.astext() == "A query\u2019s time, the notes\u2019 numbers, it isn\u2019t 'so"
    assert paragraph.astext() == f"About 5{HELD}% of 5 %7{HELD}ms"
    assert command.astext() == "sleep 5 s; echo it's"
    assert raw.astext() == "<b>5 %</b>"
