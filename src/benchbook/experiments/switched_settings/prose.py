"""Sentences and tables of the page, all computed from the run."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.config_ladder import singles
from benchbook.experiments.families.pgbench.words import UNKNOWN
from benchbook.experiments.notes import table as note
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.tables import levels, means, table
from benchbook.experiments.shape.telling import tell, told
from benchbook.experiments.switched_settings import lesson
from benchbook.experiments.switched_settings.arms import GROUPS
from benchbook.experiments.switched_settings.summary import COMPRESSION, NOTE_003, Summary
from benchbook.figures import Prose
from benchbook.figures.prose import digits

__all__ = ["agreement", "counters", "design", "images", "note_claims", "overview", "precision", "settings"]

IMAGES = "full_images_per_transaction"


def note_claims() -> pd.DataFrame:
    """What note 003 changed between its rounds and why, in its own words."""
    found = note("r8g_param_changes")
    return found.set_index(found.columns[0])


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p, record = summary.parameters, summary.run.provenance
    turns = f"Each has {p.rounds} turns of {p.turn_ms:,} ms in a block; the first {p.discard_ms:,} ms do not count."
    memory = f"Memory of server and page cache: {record.get('memory_bound', UNKNOWN)}."
    codecs = record.get("second_engine_version")
    second = f"The codecs are measured on PostgreSQL {codecs}." if codecs else ""
    failed = summary.failures(summary.arms)
    lost = f"Trials that failed: {len(failed)} ({'; '.join(failed[:3])})." if failed else ""
    return telling.design(summary, " ".join(told(summary.apparatus(), turns, memory, second, lost)))


def precision(summary: Summary) -> Prose:
    """What the intervals can show."""

    def seen() -> str:
        least = singles.detectable(summary) - 1
        return f"Given that spread, a change of {least:.1%} would be seen in four of five such runs."

    def switching() -> str:
        took = max(summary.mean(arm, "switch_s") for arm in summary.having(summary.arms, "switch_s"))
        return f"A switch takes at most {digits(1e3 * took)} ms in the mean, well within the part that does not count."

    return tell(lambda: lesson.precise(summary), seen, switching)


def agreement(summary: Summary) -> Prose:
    """The same settings both ways, and how much closer together blocks are in turns."""

    def closer() -> str:
        pair = NOTE_003[COMPRESSION]
        turns, alone = summary.effect(pair).sd, summary.alone(pair).sd
        return (
            f"From block to block the ratio moves by {turns:.1%} in turns and by {alone:.1%} on servers of their own "
            "(standard deviation of its logarithm)."
        )

    return tell(lambda: lesson.agreed(summary), closer, lambda: lesson.control(summary))


def counters(summary: Summary) -> pd.DataFrame:
    """What each setting could act on: counters in the turns of each configuration, means over the blocks."""
    columns = means(
        summary, "cleaned_per_transaction", "wal_bytes_per_transaction", "cpu_per_transaction_s", "cpu_busy_share"
    )
    return table(_rows(summary), columns)


def images(summary: Summary) -> Prose:
    """What there was to compress."""

    def written() -> str:
        own, codecs = (digits(summary.mean(GROUPS[part].base, IMAGES)) for part in ("round_2", "codecs"))
        return (
            f"A transaction wrote {own} page images on the server with note 003's settings, and {codecs} on that of "
            "the codecs."
        )

    return tell(written, otherwise="This run did not count the page images.")


def overview(summary: Summary) -> pd.DataFrame:
    """One row per configuration: geometric means over trials with 95 % intervals."""
    return table(_rows(summary), levels(summary, "tps", "latency_mean_ns", "latency_p99_ns"))


def _rows(summary: Summary) -> list[tuple[dict[str, object], str]]:
    return [({"configuration": summary.label(arm)}, arm) for arm in summary.arms]


def settings(summary: Summary) -> pd.DataFrame:
    """What differs from the notes' runs, with the direction in which each difference is expected to act."""
    p, known = summary.parameters, summary.run.provenance
    rows = (
        ("what is compared", "runs of 60 s, one after the other", "turns of a second on one server",
         "what a setting leaves to the turns of others makes all differences look smaller"),
        ("server", "PostgreSQL 16", f"PostgreSQL {known.get('engine_version', UNKNOWN)}", "hardly"),
        ("data, clients", "scale 1,250 or 500, 100 clients", f"scale {p.scale}, {p.clients} clients",
         "more waiting for rows of branches, so all differences look smaller"),
        ("start", "note 002: from a restart; note 003: not said", "the pool filled first",
         "what only matters while a pool fills is not seen"),
        ("processors", "32 and 4, clients on the same machine", f"{known.get('cores', UNKNOWN)}, with the clients",
         "group commit has fewer commits to join"),
        ("volume", "EBS", "the local disk", "a flush takes less time: commit_delay gains less"),
    )  # fmt: skip
    return pd.DataFrame(rows, columns=["what", "notes 002 and 003", "here", "expected to act"]).set_index("what")
