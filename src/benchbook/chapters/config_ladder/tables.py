"""The chapter's tables, what became of the fifteen settings in sixteen combinations, and which plans changed."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import pandas as pd

from benchbook.chapters.config_ladder.trials import Summary
from benchbook.measuring.pgbench.ladder import screening
from benchbook.measuring.pgbench.ladder.arms import CODECS, OFF, ROUND_2
from benchbook.measuring.pgbench.ladder.singles import SOLD, Sorted, named
from benchbook.notes import table as note
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.tables import NOT_ESTIMABLE, UNKNOWN, levels, means, table

FACTORS: Mapping[int, str] = {column: factor.words for column, factor in screening.FACTORS.items()} | {
    1: "commit_delay 0 → 50 µs",
    10: "autovacuum_naptime 1 → 10 × a trial",
}
"""The factors of the combinations by column, two of them with the units that their own words leave out."""


def combined(summary: Summary, *, together: bool = False) -> Sorted:
    """The fifteen settings by their names, that of compression with the codec that was switched on.

    together: with intervals that hold at the same time (Bonferroni), which say what moved among so many.
    """
    codec, alike = (
        summary.run.provenance.get("wal_compression"),
        summary.at(1 - 0.05 / (len(FACTORS) if together else 1)),
    )
    names = {column: words.split()[0] for column, words in FACTORS.items()}
    names |= {13: f"wal_compression = {codec}"} if codec else {}
    return Sorted({name: alike.effect(column) for column, name in names.items()})


def undecided(summary: Summary) -> int:
    """How many of them neither moved throughput nor are shown to leave it within 5 %."""
    decided = {*combined(summary, together=True).moved} | {*combined(summary).within(SOLD)}
    return len({*FACTORS}) - len(decided)


def largest(summary: Summary) -> SimpleNamespace:
    """The largest main effect."""
    effects = {named(words, summary): summary.effect(column) for column, words in FACTORS.items()}
    name, effect = max(effects.items(), key=lambda item: abs(item[1].point - 1))
    return SimpleNamespace(name=name, effect=effect)


def plans(summary: Summary) -> SimpleNamespace:
    """Under which other settings the planner was asked, which of them changed a plan, and how many are parallel."""
    found = summary.run.provenance.get("plans") or {}
    if "defaults" not in found:
        raise NotEstimableError("nobody asked for the plans", "measure again")
    others = [name for name in found if name != "defaults"]
    changed = [name for name in others if found[name] != found["defaults"]]
    parallel = sum("Parallel" in text or "Gather" in text for text in found.values())
    return SimpleNamespace(others=others, changed=changed, parallel=parallel)


def note_claims(summary: Summary) -> pd.DataFrame:
    """The notes' own numbers: one run each, without intervals."""
    runs = note("c8gb_runs")[["run", "scenario", "tps_avg"]].assign(note="002", kind="run")
    rounds = note("r8g_runs")[["round", "label", "tps"]].assign(note="003", kind="round")
    columns = ["run", "what", "TPS", "note", "kind"]
    found = pd.concat([runs.set_axis(columns, axis=1), rounds.set_axis(columns, axis=1)])
    change = found.groupby("note")["TPS"].pct_change()
    found["run"] = found["kind"] + " " + found["run"].astype(str)
    found["over the run before"] = ["" if pd.isna(each) else f"{each:+.0%}" for each in change]
    found["TPS"] = [f"{each:,.0f}" for each in found["TPS"]]
    return found.drop(columns="kind").set_index(["note", "run"])


def codecs(summary: Summary) -> pd.DataFrame:
    """Per codec: log and page images per transaction, processor time, throughput."""
    first = summary.run.provenance.get("wal_compression", UNKNOWN)
    rows = {ROUND_2: f"first server, {first}", OFF: "first server, off"}
    rows |= {arm: f"second server, {codec}" for codec, arm in CODECS.items()}
    columns = levels(summary, "tps", otherwise=NOT_ESTIMABLE)
    columns |= means(
        summary, "wal_bytes_per_transaction", "full_images_per_transaction", "cpu_per_transaction_s", "cpu_busy_share",
        otherwise=UNKNOWN,
    )  # fmt: skip
    return table([({"wal_compression": words}, arm) for arm, words in rows.items()], columns)


def aliases(summary: Summary) -> pd.DataFrame:
    """The alias structure of the combinations: each effect, and the interactions that it cannot be told from."""
    short = {column: words.partition(" ")[0] for column, words in FACTORS.items()}
    rows = [
        (words, "; ".join(f"{short[j]} × {short[k]}" for j, k in screening.aliases(column)))
        for column, words in FACTORS.items()
    ]
    return pd.DataFrame(rows, columns=["setting", "aliased with the interactions"]).set_index("setting")
