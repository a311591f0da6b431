"""What a second run of note 000's benchmark, on its cluster and of its day, shows about the note's claims."""

from __future__ import annotations

from collections.abc import Callable

from benchbook import notes
from benchbook.claims.evidence import Reported

WORDS = {"p99": "P99", "p95": "P95", "sd": "standard deviation", "min": "fastest request"}
SECOND = "second_run"
_RUN = "In a second run of the benchmark, on the same cluster and of the same day, "
_SOURCE = "(BENCHMARK_RESULTS_SUMMARY.md, somasekar278/lakebase-benchmarking at 418a59f)"


def milliseconds(name: str) -> float:
    """A latency of that run in ms: one of WORDS, or p50."""
    return notes.reading(f"{SECOND}_{name}_ms")


def over_median(name: str) -> Callable[[], Reported]:
    """L003, L004, L055, L059: a latency of that run over its own median, one run against the other. name: of WORDS."""

    def found() -> Reported:
        value = milliseconds(name) / milliseconds("p50")
        return Reported(
            f"{_RUN}the {WORDS[name]} is {milliseconds(name):g} ms and the median "
            f"{milliseconds('p50'):g} ms: the ratio is {value:.3f} {_SOURCE}.",
            value,
            single=True,
        )

    return found


def no_floor() -> Reported | None:
    """L075: whether the note's fastest request is as fast as cached data allow; None where no other was faster."""
    noted = notes.number("lakebase_before_after", "before_measured", metric="min")
    other = milliseconds("min")
    if other >= noted:
        return None
    return Reported(
        f"{_RUN}the fastest of 1,000 requests took {other:g} ms, "
        f"{other / noted:.2f} of the {noted:g} ms called the true performance of cached data {_SOURCE}. It may have "
        "asked for a key without rows, which nobody recorded; the fastest request of one run is then no floor either."
    )
