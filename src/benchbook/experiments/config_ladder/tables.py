"""The chapter's tables: the notes' own numbers, what differs from them here, codecs, counters, aliases, overview."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.config_ladder import combinations
from benchbook.experiments.config_ladder.summary import Summary
from benchbook.experiments.families.pgbench.ladder import screening
from benchbook.experiments.families.pgbench.ladder.arms import CODECS, OFF, ROUND_2
from benchbook.experiments.families.pgbench.words import UNKNOWN
from benchbook.experiments.notes import table as note
from benchbook.experiments.shape.tables import NOT_ESTIMABLE, levels, means, table


def note_claims(summary: Summary) -> pd.DataFrame:
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


def differences(summary: Summary) -> pd.DataFrame:
    """What differs from the notes' runs, and which way that should act; what a run did not record is "unknown"."""
    p, known = summary.parameters, summary.run.provenance
    slow, vm = p.allow_slow_storage, p.allow_vm_settings
    rows = (
        ("server", "PostgreSQL 16", f"PostgreSQL {known.get('engine_version', UNKNOWN)}", "hardly"),
        ("data, clients", "scale 1,250 or 500, 100 clients: 12.5 or 5 branches for each",
         f"scale {p.scale}, {p.clients} clients: {p.scale / p.clients:.2g} branches for each",
         "more waiting for rows of branches, so all differences look smaller"),
        ("length", "60 s", f"{p.restart_seconds} s from a restart, {p.warm_seconds} s for note 003",
         "a pool is filled by transactions per page, not by seconds"),
        ("processors", "32 and 4, clients on the same machine", f"{known.get('cores', UNKNOWN)}, with the clients",
         "group commit has fewer commits to join"),
        ("data volume", "EBS", f"a loop device, capped at {known.get('storage_iops') or UNKNOWN} writes a second for "
         "note 002's workers; else the local disk" if slow else "the local disk",
         "a flush takes less time than over a network: commit_delay gains less" if slow else
         "nothing that is evicted has to wait"),
        ("limits of dirty data", "note 002: 4 and 1 % of memory", "the same shares of the bound" if vm
         else "this machine's own", "not at all" if vm else "throughput falls later or not at all"),
        ("memory", "RAM of the machine", "a control group in the same proportions, log buffers on top"
         if p.bound_memory else "not bounded", "not at all" if p.bound_memory else "a pool matters less"),
        ("huge pages", "note 003: on", "reserved for each trial" if vm else "ordinary pages", "not at all"),
        ("wal_compression", "lz4, in round 3 off",
         f"lz4 on a second server (PostgreSQL {known.get('second_engine_version') or 'not measured'}); "
         f"{known.get('wal_compression', UNKNOWN)} elsewhere",
         "pglz takes more processor time for each page image"),
        ("autovacuum_naptime", "1 and 10 min", "1 and 10 lengths of a trial", "not at all"),
    )  # fmt: skip
    return pd.DataFrame(rows, columns=["what", "notes 002 and 003", "here", "expected to act"]).set_index("what")


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


def aliases(summary: Summary) -> pd.DataFrame:
    """The alias structure of the combinations: each effect, and the interactions that it cannot be told from."""
    short = {column: words.partition(" ")[0] for column, words in combinations.FACTORS.items()}
    rows = [
        (words, "; ".join(f"{short[j]} × {short[k]}" for j, k in screening.aliases(column)))
        for column, words in combinations.FACTORS.items()
    ]
    return pd.DataFrame(rows, columns=["setting", "aliased with the interactions"]).set_index("setting")


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration but the combinations: TPS and latency with intervals."""
    columns = levels(summary, "tps", "latency_mean_ns", otherwise=NOT_ESTIMABLE)
    return table([({"configuration": summary.label(arm)}, arm) for arm in _alone(summary)], columns)
