"""Sentences and tables of the page, all computed from the run."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchbook.experiments.config_ladder import lesson, screening, singles
from benchbook.experiments.config_ladder.arms import (
    CODECS,
    FITS_WARM,
    FLUSHES,
    OFF,
    ROUND_1_COLD,
    ROUND_2,
    ROUND_2_AGAIN,
    ROUND_2_COLD,
    ROUND_2_FITS,
    B,
    Start,
)
from benchbook.experiments.config_ladder.differences import differences
from benchbook.experiments.config_ladder.summary import Summary
from benchbook.experiments.families.pgbench.words import UNKNOWN, repeated
from benchbook.experiments.notes import table as note
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.tables import NOT_ESTIMABLE, levels, means, table
from benchbook.experiments.shape.telling import tell, told
from benchbook.figures import Prose, with_interval

__all__ = [
    "acted",
    "aliases",
    "caches",
    "codecs",
    "counters",
    "design",
    "differences",
    "flushes",
    "noise",
    "note_claims",
    "overview",
    "plans",
    "rounds",
]


def note_claims() -> pd.DataFrame:
    """The notes' own numbers: one run each, without intervals."""
    rounds, runs = note("r8g_runs"), note("c8gb_runs")
    rows = [
        ("002", f"run {run}", str(label), tps) for run, label, tps in runs[["run", "scenario", "tps_avg"]].to_numpy()
    ]
    rows += [("003", f"round {of}", str(label), tps) for of, label, tps in rounds[["round", "label", "tps"]].to_numpy()]
    found = pd.DataFrame(rows, columns=["note", "run", "what", "TPS"])
    change = found.groupby("note")["TPS"].pct_change()
    found["over the run before"] = ["" if pd.isna(each) else f"{each:+.0%}" for each in change]
    found["TPS"] = [f"{each:,.0f}" for each in found["TPS"]]
    return found.set_index(["note", "run"])


def acted(summary: Summary) -> Prose:
    """What the settings had to act on: workers, pages to clean, flushes, page images."""

    def launched() -> str:
        counted = summary.having(summary.arms, "parallel_workers")
        if not counted:
            return ""
        every = sum(summary.values(arm, "parallel_workers").sum() for arm in counted)
        trials = sum(len(summary.values(arm, "parallel_workers")) for arm in counted)
        return f"**What the settings had to act on.** In {trials} trials {every:,.0f} parallel workers were launched."

    def written() -> str:
        backends, cleaner = (
            summary.mean(ROUND_2, name) for name in ("backend_writes_per_transaction", "cleaned_per_transaction")
        )
        own = f"{backends:.4f}" if backends >= 0.00005 else "no"
        return f"In round 2 backends wrote {own} pages per transaction themselves, the background writer {cleaner:.2f}."

    def flushed() -> str:
        return f"A flush of the log carried {summary.mean(ROUND_2, 'commits_per_flush'):.2f} commits."

    return tell(launched, written, flushed, otherwise="This run did not count what the settings act on.")


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p = summary.parameters
    lengths = (
        f"Trials of note 002's configurations take {p.restart_seconds} s from a restart, those of note 003's "
        f"{p.warm_seconds} s."
    )
    metric = "transactions_per_account_page"
    made = ", ".join(
        f"{summary.label(arm)} {summary.mean(arm, metric):.2f}" for arm in summary.having((ROUND_2, B), metric)
    )
    pages = f"Transactions per page of the accounts: {made}." if made else ""
    failed = summary.failures(summary.arms)
    lost = f"Trials that failed: {len(failed)} ({'; '.join(failed[:3])})." if failed else ""
    return telling.design(summary, " ".join(told(summary.apparatus(), lengths, pages, lost)))


def noise(summary: Summary) -> Prose:
    """How far round 2 differs from itself, and what this run could have seen."""
    again = repeated(summary, ROUND_2_AGAIN, ROUND_2, "tps", "latency_mean_ns", "peak_tps", "min_tps")
    if not again:
        return Prose("This run does not have round 2 twice.")
    return tell(f"Round 2 against itself (A/A), as ratios: {again}.", partial(lesson.small, summary))


def caches(summary: Summary) -> Prose:
    """What the certificates found at the start of cold and of warm trials."""

    def looked(starts: Start, words: str) -> str:
        rows = summary.of(summary.starting(starts)).reindex(columns=["data_in_pool_start", "data_in_os_cache_start"])
        pool, cache = (rows[name].dropna() for name in rows)
        if pool.empty or cache.empty:
            return ""
        held, cached = (_spanned(each) for each in (pool, cache))
        return (
            f"Before {len(pool)} {words} trials the pool held {held} of the data, and the operating system's cache "
            f"{cached}."
        )

    return tell(
        partial(looked, Start.COLD, "cold"), partial(looked, Start.WARM, "warm"),
        partial(looked, Start.RESTART, "restarted"), otherwise="This run did not inspect the caches.",
    )  # fmt: skip


def _spanned(shares: pd.Series) -> str:
    """From the least to the largest, or the one share that all have."""
    low, high = f"{shares.min():.1%}", f"{shares.max():.1%}"
    return low if low == high else f"{low} to {high}"


def rounds(summary: Summary) -> Prose:
    """What was seen of the rounds: settings, data, warmth."""

    def gain(top: str, bottom: str, text: str) -> str:
        return text.format(with_interval(summary.gain(top, bottom)))

    def later(which: str, text: str) -> str:
        return text.format(with_interval(summary.ratio((ROUND_2_COLD, f"{which}_tps"), (ROUND_2_COLD, "tps"))))

    return tell(
        partial(gain, ROUND_2_COLD, ROUND_1_COLD, "Round 2's five settings alone, cold and at equal data: {}."),
        partial(gain, ROUND_2_FITS, ROUND_1_COLD, "With the note's smaller data as well, still cold: {}."),
        partial(gain, FITS_WARM, ROUND_1_COLD, "With smaller data and a warm pool, as the note may have had it: {}."),
        partial(gain, ROUND_2, ROUND_2_COLD, "Warmth alone, at equal settings and data: {}."),
        partial(later, "second", "A second run without a restart, over the first from cold caches: {}."),
        partial(later, "third", "The third over the first: {}."),
        otherwise="This run did not measure note 003's rounds.",
    )


def flushes(summary: Summary) -> Prose:
    """What commit_delay does where flushes are slow, with how many commits a flush then carries."""

    def carried() -> str:
        known = [(delay, arm) for delay, arm in FLUSHES.items() if summary.has(arm, "commits_per_flush")]
        if not known:
            return ""
        said = ", ".join(f"{summary.mean(arm, 'commits_per_flush'):.2f} with {delay} µs" for delay, arm in known)
        return f"Commits per flush there: {said}."

    return tell(partial(lesson.flushes, summary), carried, otherwise="This run had no slow flushes.")


def codecs(summary: Summary) -> pd.DataFrame:
    """Per codec: log and page images per transaction, processor time, throughput."""
    rows = {
        ROUND_2: f"first server, {summary.run.provenance.get('wal_compression', UNKNOWN)}",
        OFF: "first server, off",
    }
    rows |= {arm: f"second server, {codec}" for codec, arm in CODECS.items()}
    columns = levels(summary, "tps", otherwise=NOT_ESTIMABLE)
    columns |= means(
        summary, "wal_bytes_per_transaction", "full_images_per_transaction", "cpu_per_transaction_s", "cpu_busy_share",
        otherwise=UNKNOWN,
    )  # fmt: skip
    return table([({"wal_compression": words}, arm) for arm, words in rows.items()], columns)


def counters(summary: Summary) -> pd.DataFrame:
    """Per configuration but the combinations: what the settings act on, what clients wait for; means over trials."""
    names = (
        "parallel_workers", "temp_files", "cleaned_per_transaction", "backend_writes_per_transaction", "clean_stops",
        "commits_per_flush", "log_bytes_per_write", "autovacuums", "wait_read_share", "wait_lock_share",
        "wait_log_share", "wait_none_share",
    )  # fmt: skip
    return table([({"configuration": summary.label(arm)}, arm) for arm in _alone(summary)], means(summary, *names))


def _alone(summary: Summary) -> list[str]:
    """The configurations but the combinations, which say something only together."""
    return [arm for arm in summary.arms if summary.configurations[arm].group != "screening"]


def aliases() -> pd.DataFrame:
    """The alias structure of the combinations: each effect, and the interactions that it cannot be told from."""
    short = {column: words.partition(" ")[0] for column, words in singles.FACTORS.items()}
    rows = [
        (words, "; ".join(f"{short[j]} × {short[k]}" for j, k in screening.aliases(column)))
        for column, words in singles.FACTORS.items()
    ]
    return pd.DataFrame(rows, columns=["setting", "aliased with the interactions"]).set_index("setting")


def plans(summary: Summary) -> Prose:
    """Whether the planner's settings changed a plan of the workload's five statements."""
    found = summary.run.provenance.get("plans") or {}
    if "defaults" not in found:
        return Prose("This run did not ask for the plans.")
    others = {name: text for name, text in found.items() if name != "defaults"}
    changed = [name for name, text in others.items() if text != found["defaults"]]
    parallel = sum("Parallel" in text or "Gather" in text for text in found.values())
    said = f"{' and '.join(changed)} alone changed one" if changed else "none changed one"
    plans_said = f"{parallel} had a parallel part" if parallel else "no plan had a parallel part"
    return Prose(
        f"The planner was asked for the plans of pgbench's five statements under {len(others)} other settings "
        f"({', '.join(others)}): {said}, and {plans_said}."
    )


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration but the combinations: TPS and latency with intervals."""
    columns = levels(summary, "tps", "latency_mean_ns", otherwise=NOT_ESTIMABLE)
    return table([({"configuration": summary.label(arm)}, arm) for arm in _alone(summary)], columns)
