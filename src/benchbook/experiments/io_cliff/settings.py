"""What differs from the note's runs beside what is varied, and in which direction that should act on a fall."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.families.pgbench.words import UNKNOWN
from benchbook.experiments.io_cliff.summary import Summary


def settings(summary: Summary) -> pd.DataFrame:
    """One row per setting: in the note, here, and its expected effect on a fall of throughput."""
    p, record = summary.parameters, summary.run.provenance
    version, compression = str(record.get("engine_version", UNKNOWN)), str(record.get("wal_compression", UNKNOWN))
    major = version.partition(".")[0]
    reads = "by worker processes" if major.isdigit() and int(major) >= 18 else "by the backends"
    gib, cores = float(record.get("data_bytes", p.data_bytes)) / 2**30, record.get("cores", UNKNOWN)
    disk = (
        "a file behind a loop device, capped in writes a second" if summary.capped else "the machine's own, not capped"
    )
    rows = (
        ("data disk", "array of 8 EBS volumes", disk, "none while the cap is in the note's proportion"),
        ("disk of the log", "an array of its own", "the machine's own" if summary.capped else "the same", "none"),
        ("processors", "32", str(cores), "none: the cap is in proportion to the transactions"),
        ("data", "about 20 GiB", f"{gib:.2f} GiB", "none: pool, memory and limits are in proportion to the data"),
        ("clients", "100, 0.08 per branch", f"{p.clients}, {p.clients / p.scale:.2g} per branch",
         "shallower: more of them wait for locks before the fall"),
        ("where the clients run", "on the server's machine", "on the server's machine", "none"),
        ("PostgreSQL", "16.11", version, "none expected"),
        ("reads (io_method)", "by the backends", reads, "none: the data is in the page cache"),
        ("compression of the log", "lz4", compression, "later and shallower: more processor time"),
        ("autovacuum", "on, every minute", "off", "later: fewer pages are changed"),
        ("file system", "XFS", "ext4", "shallower: on XFS readers of a file may wait for its writers"),
        ("pool at the start", "run 1 full, others empty", "empty", "later than in the note's run 1"),
    )  # fmt: skip
    columns = ["setting", "the note", "here", "expected effect on the fall"]
    return pd.DataFrame(rows, columns=columns).set_index("setting")
