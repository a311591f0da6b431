"""The table of the notes' systems is whole, and names only chapters that exist."""

import re
from pathlib import Path

import pytest

from benchbook import lab
from benchbook.book.pages import systems
from benchbook.book.parts import names
from benchbook.errors import BenchbookError

ROOT = Path(__file__).parents[2]


def test_every_system_of_the_notes_has_a_state_and_a_reason() -> None:
    rows = systems.systems(ROOT)
    assert len(rows) == 73
    assert {row["here"] for row in rows} == set(systems.STATES)
    assert {row["note"] for row in rows} == {"000", "001", "002", "003", "004"}


def test_chapters_that_are_named_exist() -> None:
    for row in systems.systems(ROOT):
        for name in re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", row["where"]):
            if name in lab.names():
                continue
            assert name in ("client_mode", "pg_prewarm", "wal_buffers"), (row["system"], name)
        if row["here"] == "works here" and row["where"].startswith("chapter "):
            assert re.findall(r"chapter (\w+)", row["where"])[0] in lab.names(), row["system"]


def test_a_chapter_of_one_word_is_called_by_its_title_after_the_word_chapter_alone() -> None:
    named = "PgBouncer in chapter “How many clients, and through what”"
    assert names.titled("PgBouncer in chapter clients") == named
    assert names.titled("what clients cost") == "what clients cost"
    assert names.titled("chapter hot_cold_keys") == "chapter “Hot versus cold keys”"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("note,system\n", "has the columns"),
        (",".join(systems.COLUMNS) + "\n000,X,r,k,perhaps,chapter x\n", "line 2"),
        (",".join(systems.COLUMNS) + "\n000,X,r,k,works here,\n", "line 2"),
    ],
)
def test_a_damaged_table_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / systems.FILE).write_text(text)
    with pytest.raises(BenchbookError, match=problem):
        systems.systems(tmp_path)
