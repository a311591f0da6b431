"""A tiny real run with longer system calls: SQLite makes calls and feels each ns, what makes none does not."""

from __future__ import annotations

from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook.chapters.system_calls import Parameters, configurations, reduce
from benchbook.engines import kv
from benchbook.model import Run

pytestmark = needing(kv.versions)

CHAPTER = "system_calls"
MOST_NS = 20_000
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "rows": 20_000, "warm_lookups": 2_000, "rounds": 3, "turn_ms": 60, "discard_ms": 2,
        "added_ns": [0, MOST_NS], "kept_samples": 100,
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    check_metrics(run, reduce)


def test_a_look_up_of_its_own_transaction_asks_the_kernel_and_one_within_a_transaction_does_not(run: Run) -> None:
    for use in ("as_run", "once"):
        counted = trials(run, f"{use}_0")
        assert (counted["locks_per_lookup"] >= 2).all(), "one to lock and one to unlock"
        assert (counted["added_per_lookup_ns"] == 0).all()
    for use in ("best", "value_file"):
        assert (trials(run, f"{use}_{MOST_NS}")["calls_per_lookup"] < 0.2).all(), use


def test_what_is_added_is_what_was_asked_and_the_look_up_takes_at_least_as_much_longer(run: Run) -> None:
    for use in ("as_run", "once"):
        slow, quick = trials(run, f"{use}_{MOST_NS}"), trials(run, f"{use}_0")
        added = slow["added_per_lookup_ns"]
        assert (added >= MOST_NS * slow["calls_per_lookup"] * 0.999).all()
        assert slow["lookup_mean_ns"].min() > added.min()
        assert slow["lookup_mean_ns"].min() > quick["lookup_mean_ns"].min()


def test_every_answer_was_checked(run: Run) -> None:
    assert (run.trials["checked_reads"] == run.trials["lookups"]).all()


def test_the_page_has_its_sentences(run: Run) -> None:
    check_chapter(run, ("design", "asks", "dearer", "held", "mapped", "felt", "unmoved", "noise"))
