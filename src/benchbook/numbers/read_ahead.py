"""How far the kernel reads ahead where a page of a mapped file is missing: of the published runs, and by default."""

from __future__ import annotations

from benchbook.model import Run

USUAL_KIB = 128
"""Linux's default for a disk (``read_ahead_kb``)."""
PUBLISHED_KIB = 8_192
"""Of the disk of the virtual machines that measured the published runs, as they came; no run records it."""


def in_words(run: Run) -> str:
    """A clause on this run's read-ahead; for a run of another machine, that nobody wrote it down."""
    if not run.published:
        return f"the disk's read-ahead, which this run does not record (Linux's default is {USUAL_KIB:,} KiB)"
    return (
        f"the disk's read-ahead, {PUBLISHED_KIB:,} KiB on the virtual machine that measured this, "
        f"{PUBLISHED_KIB // USUAL_KIB} times Linux's default of {USUAL_KIB:,}"
    )
