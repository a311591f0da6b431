"""What raw reports show of claims of notes 000 and 002: a second run of its day, and a counter."""

from collections.abc import Callable
from typing import Any

from benchbook import notes
from benchbook.claims.evidence import Reported

_WORDS = {"p99": "P99", "p95": "P95", "sd": "standard deviation", "min": "fastest request"}
_RUN = "In a second run of the benchmark, on the same cluster and of the same day, after 50 warm-up requests, "
_SOURCE = "(BENCHMARK_RESULTS_SUMMARY.md, somasekar278/lakebase-benchmarking at 418a59f)"


def _report(run: str) -> tuple[Any, str]:
    """The row of a run of note 002 in the table of its raw reports, and where that was read."""
    found = notes.table("raw/c8gb_reports").set_index("run").loc[run]
    name = str(found["file"]).rpartition("-")[2].removesuffix(".md")
    return found, f"(report {name}, {notes.source(found)})"


def writer_idle() -> Reported | None:
    """What settings of the background writer did in note 002's Scenario B; None where it wrote a page there."""
    found, source = _report("B")
    if found["buffers_clean"]:
        return None
    return Reported(
        f"In the note's own run of Scenario B the background writer wrote no page in {found['duration_s']} s and "
        f"{found['transactions']:,} transactions, so none of its settings could change anything {source}."
    )


def _served(run: str) -> tuple[int, int, str]:
    """Blocks that the devices served in a run of note 002, its transactions, and where that was read."""
    found, source = _report(run)
    reads = int(notes.rows("raw/c8gb_devices", run=run)["device_reads"].sum())
    return reads, int(found["transactions"]), source


def nothing_to_save() -> Reported | None:
    """Whether reads of note 002's Scenario A could become fewer; None where its devices served more than a few."""
    reads, made, source = _served("A")
    if reads > 0.001 * made:
        return None
    return Reported(
        f"In the note's own run A, with the small pool, the devices served {reads} reads in {made:,} transactions: "
        f"there were none that a larger pool could have saved {source}."
    )


def next_to_no_reads() -> Reported:
    """Reads of the devices over requests for a block in note 002's Scenario B, of which a transaction makes several."""
    reads, made, source = _served("B")
    return Reported(
        f"In the note's own run of Scenario B the devices served {reads} reads in {made:,} transactions, each of which "
        f"asks for several blocks {source}.", reads / made,
    )  # fmt: skip


def second_run_ms(name: str) -> float:
    """A latency of note 000's second run in ms: p50, p95, p99, sd or min."""
    return notes.reading(f"second_run_{name}_ms")


def over_median(name: str) -> Callable[[], Reported]:
    """A latency of that run over its own median, one run against the other."""

    def found() -> Reported:
        own, median = second_run_ms(name), second_run_ms("p50")
        words = f"{_RUN}the {_WORDS[name]} is {own:g} ms and the median {median:g} ms: the ratio is {own / median:.3f}"
        return Reported(f"{words} {_SOURCE}.", own / median, single=True)

    return found
