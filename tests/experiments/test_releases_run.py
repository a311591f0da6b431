"""A tiny real run on both releases, where the notes' has been fetched."""

from __future__ import annotations

from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook.chapters.releases import RELEASES, Parameters, configurations, reduce
from benchbook.engines.postgres.notes_release import find_notes_release
from benchbook.model import Run

pytestmark = needing(find_notes_release)

CHAPTER = "releases"
PARAMETERS = Parameters.given({"blocks": 2, "scale": 2, "clients": 4, "trial_seconds": 1, "fill_seconds": 0})


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    check_metrics(run, reduce)


def test_each_release_measured_its_own(run: Run) -> None:
    assert run.provenance["notes_version"] == "16.11"
    assert run.provenance["engine_version"] != run.provenance["notes_version"]


def test_a_small_pool_lacks_pages_on_both_and_a_pool_for_all_lacks_none_for_long(run: Run) -> None:
    for release in RELEASES:
        small, full = (trials(run, f"{release}_reads_{size}")["reads_per_transaction"] for size in ("small", "full"))
        assert small.min() > full.max(), release


def test_the_page_has_its_sentences(run: Run) -> None:
    check_chapter(run, ("design", "pool", "writes", "apart", "newer", "noise"))
