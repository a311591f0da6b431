"""The chapter's sentences and its tables, computed from the run that the page shows."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchbook.experiments import notes
from benchbook.experiments.row_access.arms import (
    AGAIN,
    COVERING,
    DEFINED_ALL,
    DEFINED_THREE,
    REWRITE,
    ROW_BYTES,
    columns_of,
)
from benchbook.experiments.row_access.summary import Summary
from benchbook.experiments.row_access.tables import DEFINITIONS, SHARE_OF_30
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.tables import Columns, levels, means, table
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose, with_interval

ALL, THREE = columns_of("all", ROW_BYTES), columns_of("three", ROW_BYTES)
DEFINED = {
    "numeric_3": "3 NUMERIC columns", "timestamp_4": "4 TIMESTAMPTZ columns", "numeric_10": "10 NUMERIC columns",
    "numeric_92": "92 NUMERIC columns",
}  # fmt: skip


def note_claims() -> pd.DataFrame:
    """What the note's own list says of its third and fourth fix."""
    found = notes.table("lakebase_fixes")
    found = found[found["fix"].isin([3, 4])][["fix", "parameter", "before", "expected_after", "unit"]]
    found = found.fillna("").rename(columns={"parameter": "what", "expected_after": "expected"})
    return found.set_index("fix")


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p, where = summary.parameters, summary.run.provenance
    data = (where["heap_bytes"] + where["index_bytes"]) / 2**30
    reads = "past" if where.get("direct_io") else "through"
    return telling.design(
        summary,
        f"{len(summary.arms)} configurations on {summary.on()}. {p.n_tables} tables of {p.rows_per_table:,} rows for "
        f"each width, one of {p.order_rows:,} rows for each order, {data:.2f} GiB in all. A pool of "
        f"{p.large_pool_mib:,} MiB, or of {p.small_pool_percent:g} % of what is read. The server reads {reads} the "
        "operating system's page cache.",
    )


def widths(summary: Summary) -> pd.DataFrame:
    """Of each definition in the source repository: heap per row, and values returned with all and with three."""
    arms = {"all": DEFINED_ALL, "three": DEFINED_THREE}

    def mean(arm: str, metric: str) -> str:
        return summary.METRICS[metric].written(summary.mean(arm, metric)) if summary.has(arm, metric) else ""

    rows = []
    for name in DEFINITIONS:
        row = {"definition": DEFINED[name], "of the 30 tables": f"{30 * SHARE_OF_30.get(name, 0):.0f}"}
        row["heap per row (bytes)"] = mean(DEFINED_ALL, f"{name}_heap_bytes")
        row |= {f"values of {each} columns (bytes)": mean(arm, f"{name}_returned_bytes") for each, arm in arms.items()}
        rows.append(row)
    rows.append(
        {"definition": "the 30 tables together", "of the 30 tables": "30"}
        | {"heap per row (bytes)": mean(DEFINED_ALL, "heap_bytes_per_row")}
        | {f"values of {each} columns (bytes)": mean(arm, "returned_bytes") for each, arm in arms.items()}
    )
    return pd.DataFrame(rows).set_index("definition")


def published_sizes() -> Prose:
    """The source repository's own table sizes, per row."""
    found = notes.table("raw/lakebase_tables")
    per_row = found["size_gb"] * 1e9 / found["rows"]
    binary = float(per_row.max()) * 2**30 / 1e9
    return Prose(
        f"The repository prints sizes of {len(found)} of the 30 tables beside its index builds. They are "
        f"{per_row.min():.0f} to {per_row.max():.0f} bytes a row, or up to {binary:.0f} if its GB are binary ones. "
        f"The note's “1-4 KB” is several times that."
    )


def columns(summary: Summary) -> Prose:
    """What fewer columns change of a look-up, and what they leave."""

    def pages() -> str:
        blocks = with_interval(summary.ratio((THREE, "heap_blocks_per_request"), (ALL, "heap_blocks_per_request")))
        pages = with_interval(summary.ratio((ALL, "resident_pages"), (THREE, "resident_pages")))
        bytes_ = with_interval(summary.ratio((THREE, "returned_bytes"), (ALL, "returned_bytes")))
        return (
            f"Of rows of 1 KB three columns return {bytes_} of the bytes of all columns. They touch {blocks} times the "
            f"heap blocks, and all columns fill {pages} times the pages of three."
        )

    def framing() -> str:
        plain, framed = (
            with_interval(summary.ratio((DEFINED_THREE, metric), (DEFINED_ALL, metric)))
            for metric in ("returned_bytes", "message_bytes")
        )
        return (
            f"Of the repository's own tables a returned row of three columns takes {framed} of the bytes of all; its "
            f"values alone, without what the protocol adds to each row and value, {plain}."
        )

    def latency() -> str:
        found = with_interval(summary.ratio((THREE, "mean_ns"), (ALL, "mean_ns")))
        return f"With everything in the pool, a request for three columns takes {found} times as long as for all."

    return tell(pages, framing, latency, otherwise="This run has no numbers for columns.")


def covering(summary: Summary) -> Prose:
    """Whether the covering index was read alone, and what the look-ups still accessed of the heap's files."""

    def proof() -> str:
        blocks = summary.mean(COVERING, "heap_blocks_per_request")
        tables = summary.parameters.n_tables
        if not summary.index_only(COVERING):
            return "The look-ups by the covering index were not index-only in every trial: see the stored plans."
        return (
            "With the three columns in the index, every explained look-up was an index-only scan without a heap fetch, "
            f"and the visibility map had every page. A request still accessed {blocks:.1f} blocks of the heaps' files "
            f"in {tables} tables; those are blocks of the visibility map, which PostgreSQL counts as heap blocks."
        )

    return tell(proof)


def noise(summary: Summary) -> Prose:
    """How far the baseline differs from itself."""

    def itself(metric: str) -> str:
        found = with_interval(summary.ratio((AGAIN, metric), (ALL, metric)))
        return f"The baseline against itself: {summary.in_words(metric)} {found}."

    return tell(*(partial(itself, metric) for metric in ("resident_pages", "heap_blocks_per_request", "mean_ns")))


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration that looks keys up: blocks, bytes, hit ratio and latency."""
    arms = [arm for arm, each in summary.configurations.items() if each.settings["kind"] != REWRITE]
    columns: Columns = {
        "scan": lambda arm: ", ".join(sorted(set(summary.in_blocks(arm)["plan"]))),
        **means(summary, "returned_bytes", "heap_blocks_per_request", "index_blocks_per_request"),
        **means(summary, "toast_blocks_per_request", "reads_per_request", "heap_hit_ratio"),
        **levels(summary, "mean_ns"),
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in arms], columns)
