"""The box for counters on the page of advice: it says what the command says, at once, and nothing without scripts."""

import sys
from pathlib import Path
from typing import Any

import pytest

from benchbook.own_numbers import diagnosis

sys.path.append(str(Path(__file__).parents[1] / "own_numbers"))
import public_reports

pytestmark = pytest.mark.browser

ADVICE = "book/advice.html"
FORM = "form.benchbook-diagnose"
PASTED = {
    "Badger": public_reports.KWIL, "half a line": public_reports.DINGO, "RocksDB": public_reports.ROCKSDB,
    "two looks": f"{public_reports.BADGER_960}\n{public_reports.BADGER_960.replace('miss: 6', 'miss: 7')}",
    "PostgreSQL": "buffers_clean | 0\nblks_hit | 990\nblks_read | 10\ntemp_files | 0\n",
    "shards": f"{public_reports.ROCKSDB}\ncapacity : 8388608\nnum_shard_bits : 4\n",
}  # fmt: skip


def test_the_box_says_what_the_command_says_and_sends_nothing(reader: Any) -> None:
    visit = reader.open(ADVICE)
    page = visit.page
    for name, text in PASTED.items():
        page.locator(f"{FORM} textarea").fill(text)
        wanted = [
            f"{each.says} It cannot be: {each.forbids}." if each.forbids else each.says
            for each in diagnosis.of_text(text)
        ]
        assert page.locator(f"{FORM} li").all_inner_texts() == wanted, name
        assert wanted, name
    page.locator(f"{FORM} textarea").fill("once upon a time: 7")
    assert page.locator(f"{FORM} li").all_inner_texts() == ["No counter in it is known."]
    page.locator(f"{FORM} textarea").fill("")
    assert page.locator(f"{FORM} li").count() == 0
    assert visit.complaints == []
    assert all(request.startswith((reader.book.address, "data:", "blob:")) for request in visit.requests)


@pytest.mark.long
def test_without_scripts_there_is_no_box(reader: Any) -> None:
    assert not reader.open(ADVICE, scripts=False).page.locator(FORM).is_visible()
