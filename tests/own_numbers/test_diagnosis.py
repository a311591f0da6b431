"""What counters say: public reports, the notes' own, and by what they forbid."""

import public_reports
import pytest

from benchbook import notes
from benchbook.errors import BenchbookError
from benchbook.notes import nine_runs
from benchbook.own_numbers import diagnosis

SMALL = "a cache that is too small"


def said(text: str) -> str:
    return " ".join(f"{each.says} Not: {each.forbids}." for each in diagnosis.of_text(text))


def test_blocks_that_are_charged_megabytes_are_no_small_cache() -> None:
    kwil = said(public_reports.KWIL)
    assert "charged 3.14 MB" in kwil
    assert f"Not: {SMALL}" in kwil
    assert "96.9 % of what was offered was never admitted" in kwil
    assert "5.75 % of 8,960 requests hit" in kwil


def test_evictions_alone_ask_for_the_whole_line_and_none_forbid_a_small_cache() -> None:
    dingo = said(public_reports.DINGO)
    assert "99.8 % of what was added was evicted again" in dingo
    assert "Give the whole line" in dingo
    assert f"Not: {SMALL}" not in dingo
    assert f"Not: {SMALL}" in said(public_reports.BADGER_960)


def test_filters_that_are_read_again_are_found_in_rocksdbs_statistics() -> None:
    found = said(public_reports.ROCKSDB)
    assert "2.21 % of the questions to a filter had to read it first, 1.12 MB each time, 22.4 GB in all" in found
    with_cache = said(f"{public_reports.ROCKSDB}\n capacity : 8388608\n num_shard_bits : 4\n")
    assert "A filter has 1.12 MB and a shard of the cache 0.524 MB: it can never stay." in with_cache
    assert "nothing that acts on files" in said("rocksdb.memtable.hit COUNT : 1000\nrocksdb.memtable.miss COUNT : 1\n")


def test_two_looks_at_postgresql_give_what_happened_between_them() -> None:
    found = said(public_reports.BGWRITER)
    assert "wrote 37,000 pages and stopped 369 times at bgwriter_lru_maxpages" in found
    assert "No checkpoint was begun" in found
    assert "Sessions wrote 1,540,000 pages themselves, 97.7 %" in found
    idle = said("buffers_clean | 0\ntemp_files | 0\nblks_hit | 10\nblks_read | 0\n")
    for cause in ("every setting of the background writer", "work_mem that is too small", "cold caches"):
        assert cause in idle


def test_a_counter_that_was_reset_between_two_looks_is_refused() -> None:
    with pytest.raises(BenchbookError, match="buffers_clean fell from 5 to 2"):
        diagnosis.of_text("buffers_clean | 5\nbuffers_clean | 2\n")


def test_iostat_speaks_of_its_busiest_device_without_the_report_since_the_start() -> None:
    head = "Device r/s rkB/s r_await w/s %util\n"
    since_start, *later = (
        "sda 900 1 1 1 99\n",
        "sda 0.2 1 0.1 5 3\nsdb 0.1 0 0.1 0 1\n",
        "sda 0.4 1 0.1 5 3\nsdb 0 0 0 0 0\n",
    )
    text = "\n".join(f"{head}{rows}" for rows in (since_start, *later))
    assert "served 0.300 reads a second. Not: cold caches" in said(text)


def test_note_001s_line_is_charged_wrongly() -> None:
    metrics = notes.table("badger_metrics").set_index("metric")["value"]
    counted = notes.table("raw/badger_counters").iloc[0]
    line = (
        f"hit: {metrics['hit']:.0f} miss: {metrics['miss']:.0f} keys-added: {counted['keys_added']} "
        f"keys-evicted: {counted['keys_evicted']} cost-added: {counted['cost_added_bytes']} sets-rejected: 0"
    )
    assert "no size of the cache helps" in said(line)
    assert f"Not: {SMALL}" in said(line)


def test_of_note_003s_nine_reports_only_the_ones_that_read_can_have_been_cold() -> None:
    for each in nine_runs.reports().values():
        head = "Device r/s w/s r_await %util\n"
        found = said(
            f"{head}nvme {each.reads / 64:.2f} 1 0.5 50\nbuffers_clean | {each.buffers_written}\n".replace(
                "buffers_clean", "x"
            )
        )
        assert ("Not: cold caches" in found) is (each.reads / 64 < 1), each.run_id
        assert ("every setting of the background writer" in said(f"buffers_clean | {each.buffers_written}")) is (
            each.buffers_written == 0
        )


def test_text_without_a_known_counter_says_nothing() -> None:
    assert diagnosis.of_text("once upon a time: 7") == []


def test_every_rule_has_words_for_its_values_and_a_chapter_that_exists() -> None:
    from benchbook import lab

    for kind in diagnosis.rules()["kinds"]:
        for rule in kind["rules"]:
            shown = rule["say"].format(**dict.fromkeys(rule.get("values", {}), "1"))
            assert shown.endswith((".", "again."))
            assert set(rule) <= {
                "when",
                "values",
                "say",
                "forbids",
                "chapter",
                "without",
            }
            assert rule.get("chapter", "lru") in lab.names()
