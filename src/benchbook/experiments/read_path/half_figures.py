"""The figure of look-ups where memory holds half of the store."""

from __future__ import annotations

from benchbook.experiments.read_path.arms import HALF
from benchbook.experiments.read_path.summary import EACH, P50
from benchbook.experiments.shape import read_ahead
from benchbook.experiments.shape.regular import Dots, level

halves = Dots(
    id="fig-read-path-half",
    title="Random look-ups where memory holds half of the store",
    heading="what",
    rows=lambda summary: summary.way(HALF),
    series={"mean": level(EACH), "P50": level(P50), "P99": level("query_p99_ns")},
    axis="time of a look-up (µs)", quantity="time (µs)", factor=1e-3,
    nothing="This run did not bound memory",
    mend="measure as root, with bound_memory=true",
    told=lambda summary: read_ahead.in_words(summary.run),
    caption="Random existing keys among {p.half_rows:,} rows, where the page cache has room for half of the store's "
    "files, logarithmic axis. What mapped files take depends on {more}. {intervals}.",
    alt="Points with intervals for {n} engines and {series} quantities on a logarithmic axis. {said}.",
)  # fmt: skip
