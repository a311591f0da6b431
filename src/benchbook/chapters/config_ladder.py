"""Two ladders of settings, one at a time and together: what changes pgbench's throughput, and where each can act."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from benchbook import kit, statistics
from benchbook.errors import BenchbookError
from benchbook.measuring import pgbench
from benchbook.measuring.pgbench import treatment
from benchbook.measuring.pgbench.estimands import repeated, restarts
from benchbook.measuring.pgbench.ladder import arms, bench, screening, singles, states
from benchbook.measuring.pgbench.ladder.arms import Parameters as Parameters
from benchbook.measuring.pgbench.ladder.arms import Start
from benchbook.measuring.pgbench.ladder.parameters import PARTS
from benchbook.notes import table as note
from benchbook.notes.own_reports import evidence
from benchbook.numbers.estimands import Arm, Words, named
from benchbook.numbers.inert import Control, cannot_act
from benchbook.numbers.littles_law import littles_gate
from benchbook.pages.tables import NOT_ESTIMABLE, UNKNOWN, levels, means, table

configurations, needs, session, reduce = arms.configurations, bench.needs, bench.session, bench.reduce

METRICS = states.METRICS
PAIR = ("round_2_again", "round_2")
PAIRS = {
    "workers": ("scenario_a_again", "scenario_a"), "scenario B": ("scenario_b_again", "scenario_b"),
    "cold": ("round_1_cold_again", "round_1_cold"),
}  # fmt: skip
"""The baseline's second and first configuration of each group that has its own; round 2's of all others."""
REPORTS = {claim: evidence(claim) for claim in ("R017", "R022", "R055", "R056")}
"""What note 003's own reports show of the claims that they decide."""


class Summary(pgbench.Summary[Parameters]):
    REMEDY = "measure all parts, with allow_slow_storage=true and second_server=true, as root"

    def effect(self, column: int) -> kit.Effect:
        """Throughput with a factor of the combinations at its high level over that at its low one, over blocks.

        Each side is the geometric mean of the eight combinations of a block.
        """
        logs = {run: np.log(self.values(screening.name(run), "tps")) for run in range(screening.RUNS)}
        sides = (
            np.exp(np.mean([each for run, each in logs.items() if screening.high(run, column) is high], axis=0))
            for high in (True, False)
        )
        return self.estimated(statistics.ratio, *sides)

    def departures(self) -> list[str]:
        left = len(PARTS) - len(self.parameters.parts)
        own = f"{left} of {len(PARTS)} parts left out" * bool(left)
        return [*filter(None, (own, *treatment.of_machine(self.parameters))), *super().departures()]


def aa_gates(summary: Summary, answer: kit.Answer) -> list[kit.Gate]:
    """The baseline of the claim's own group against itself."""
    known = summary.configurations
    groups = {known[arm].group for arm in answer.estimand.names(summary) if arm in known}
    again, first = next((PAIRS[group] for group in PAIRS if group in groups and PAIRS[group][0] in known), PAIR)
    return [summary.aa_gate(again, first, answer.estimand.metric or "")]


def checks(summary: Summary, answer: kit.Answer) -> Iterator[kit.Gate]:
    """Equal counts, bounded memory; full pools of warm trials, equal starts after a restart; Little's law."""
    names, p = answer.estimand.names(summary), summary.parameters
    if not names:
        return
    yield from [*summary.counts_gate(names), summary.bound_gate(names)]
    if warm := names & {*summary.where("start", Start.WARM)}:
        yield summary.full_gate(warm)
    if restarted := names & {*summary.where("start", Start.RESTART)}:
        yield summary.dirty_gate(names)
    if answer.estimand.metric in ("latency_mean_ns", "latency_sd_ns"):
        yield littles_gate(summary.of(names), float(p.restart_seconds if restarted else p.warm_seconds))


# A setting with which a trial ran, and which the workload has nothing for, has been judged: the claim is on this
# workload, and no machine would launch a parallel worker for it. The check of such a setting is that it was in force. A
# cause that needs a state of the machine, such as pages to clean or cold caches, is checked by its counter.
_no_parallel_plan = partial(
    cannot_act, "parallel_workers", None, counted="0 parallel workers were launched in {} trials",
    why="pgbench's statements have no parallel plan (they write, or look up one row by its key)",
    control=Control("sum_scenario_a", "parallel_workers",
                    "a sum over the same table launched at least {} a trial under note 002's own settings, with "
                    "the threshold for parallel scans reduced as the table is"),
)  # fmt: skip
no_plan = _no_parallel_plan()
"""Why settings of parallel workers cannot act on these transactions, here or on the note's machine."""
own_line = _no_parallel_plan(
    scope="the numbers of this line are of the note's own two runs and are right as such; the settings did not cause "
    "their difference",
    refutes=False,
)
"""The same of a line of the note's own timeline."""


def wrote_in_each_session(summary: Summary) -> str:
    """That backends wrote no page in some session, so that there was nothing to reduce; "" where they did in all."""
    written, sessions = summary.values("round_1_beside", "backend_writes_per_transaction"), summary.sessions
    wrote = [written[sessions == each].any() for each in sorted({*sessions.tolist()})]
    none = f"{wrote.count(False)} of {len(wrote)} sessions of “{summary.label('round_1_beside')}”"
    return "" if all(wrote) else f"backends wrote no page in {none}"


def any_vacuumed(summary: Summary) -> str:
    """That autovacuum worked on no table in any trial of round 2, so that there was no overhead; "" where it did."""
    found = summary.values("round_2", "autovacuums")
    return "" if found.any() else f"autovacuum worked on no table in any of {len(found)} trials"


def launched(summary: Summary, *names: str) -> np.ndarray:
    """Parallel workers launched in each trial of those of these configurations that count them."""
    counted = summary.having(names or summary.arms, "parallel_workers")
    return np.concatenate([[], *(summary.values(arm, "parallel_workers") for arm in counted)])


def no_workers(*names: str) -> Words:
    """How many parallel workers the trials of these configurations launched, for a verdict's reason."""

    def said(summary: Summary) -> str:
        found = launched(summary, *names)
        told = f"Parallel workers launched in {found.size} trials: {found.sum():,.0f}"
        return told if found.size else "This release does not count parallel workers"

    return said


def departing(number: Any, *also: Words, **ground: Any) -> Any:
    """A number, with how far the trials that it takes depart from what the claims name. also: further departures.

    ground: as in ``estimands.Estimand``.
    """

    def what(summary: Summary) -> str:
        names, found = {named(arm, summary) for arm in number.arms}, []
        starts = {arms.start_of(summary.configurations[arm]) for arm in names & summary.configurations.keys()}
        if Start.RESTART in starts:
            large = {"baseline_pool_80", "scenario_a_pool_80", "scenario_b", "scenario_b_again"}
            found.append(treatment.too_few(summary, large | names, treatment.PER_PAGE_002))
            found.append(treatment.own_limits(summary.parameters))
        if starts - {Start.RESTART}:
            found.append(treatment.too_few(summary, names, treatment.PER_PAGE_003))
        return " and ".join(filter(None, [*found, *(each(summary) for each in also)]))

    return replace(number, departs=what, **ground)


def no_cap(summary: Summary) -> str:
    """That there was no cap; "" where there was."""
    return "" if summary.parameters.allow_slow_storage else "storage without a cap where the claim names one"


def off_size(summary: Summary) -> str:
    """The same where the claim gives a size, which depends on how deep a small pool falls, and so on the cap."""
    free = not summary.parameters.allow_slow_storage
    return "" if free else treatment.off_proportion(summary, "scenario_a", "scenario_a_free")


def onset(summary: Summary) -> kit.Estimate:
    """Scenario A's time until throughput falls over the baseline's, over the blocks in which it falls in both."""
    slots = []
    for arm in ("scenario_a", "baseline"):
        summary.values(arm, "cliff")  # or why there is none
        slots.append(summary.in_blocks(arm)["cliff_slot"].to_numpy(dtype=float))
    both = ~np.isnan(slots).any(axis=0)
    if both.sum() < 2:
        raise kit.NotEstimableError(
            f"{int(both.sum())} of {both.size} blocks show a cliff in both configurations; two are needed",
            "give a lower storage_iops, or longer trials",
        )
    pair = (each[both] + 1 for each in slots)  # the first slot is 0, and a fall in it has taken time
    return summary.estimated(statistics.ratio, *pair, of=both)


def on_second(second: str, first: str) -> Arm:
    """The configuration on the second server, or where lz4 was not measured, that on the first."""
    return lambda summary: second if "second_lz4" in summary.configurations else first


def no_lz4(summary: Summary) -> str:
    """That another codec stands for lz4; "" where lz4 was measured."""
    return "" if "second_lz4" in summary.configurations else states.other_codec(summary)


def workers(
    metric: str, pair: tuple[str, str] = ("scenario_a", "baseline"), setting: str = "max_worker_processes", *,
    size: bool = False, inert: Any = no_plan,
) -> Any:  # fmt: skip
    """What settings of parallel workers do on capped storage. size: whether the claim gives one."""
    number, also = kit.measured(metric)[pair[0]] / kit.measured(metric)[pair[1]], (no_cap, off_size)[: 1 + size]
    idle = treatment.applied(setting, *pair)
    return departing(number, *also, idle=idle, working=no_workers(*pair), inert=inert)


def of_round_1(top: str, metric: str, setting: str) -> Any:
    """What a setting of round 1 changes of a count."""
    number = kit.counted(metric)[top] / kit.counted(metric)["round_1_beside"]
    return departing(number, idle=treatment.applied(setting, top, "round_1_beside"))


def later(prefix: str) -> Any:
    """A later run of round 2 without a restart over its first."""
    number = kit.measured(f"{prefix}tps")["round_2_cold"] / tps["round_2_cold"]
    return departing(number.as_quantity(kit.Quantity.PARTS, "tps"), idle=states.warmer(prefix))


tps, log = kit.measured("tps"), kit.counted("wal_bytes_per_transaction")
written = kit.counted("backend_writes_per_transaction")
fall = kit.custom(
    onset, kit.Quantity.COMPARISON, "scenario_a", "baseline", aa="tps",
    idle=treatment.applied("max_worker_processes", "scenario_a", "baseline"),
)  # fmt: skip
compressed, plain = on_second("second_lz4", "round_2"), on_second("second_off", "no_compression")
five = ("wal_writer_flush_after", "round_2_cold", "round_1_cold")
NUMBERS = {
    "workers": workers("tps", size=True, inert=own_line),
    "workers_help": workers("tps"),
    "later": departing(fall, no_cap, inert=no_plan),
    "later_in_size": departing(fall, no_cap, off_size, inert=own_line),
    "processes": workers("tps", ("processes_32", "baseline")),
    "parallel": workers("tps", ("parallel_32", "processes_32"), "max_parallel_workers"),
    "per_gather": workers("tps", ("scenario_a", "parallel_32"), "max_parallel_workers_per_gather"),
    "workers_peak": workers("peak_tps", size=True, inert=own_line),
    "workers_least": workers("min_tps", size=True, inert=own_line),
    "workers_latency": workers("latency_mean_ns", size=True, inert=own_line),
    "workers_early": workers("early_cv"),
    "workers_start": workers("start_tps", size=True, inert=own_line),
    "workers_end": workers("sustained_tps"),
    "workers_over_peak": workers("mean_over_peak", inert=own_line),
    "workers_variation": workers("cv"),
    "restarts": restarts(
        "max_worker_processes", "max_parallel_workers", "max_parallel_workers_per_gather",
        words="the three worker settings",
    ),
    "five": departing(
        tps["round_2_cold"] / tps["round_1_cold"],
        idle=treatment.every(treatment.applied(*five), states.cold("round_2_cold", "round_1_cold")),
    ),
    "second_run": later("second_"),
    "third_run": later("third_"),
    "round_3": departing(
        tps["round_3"] / tps["round_2"], states.other_codec,
        idle=treatment.applied("shared_buffers", "round_3", "round_2"),
    ),
    "log_off": departing(log[plain] / log[compressed], no_lz4, idle=treatment.images(plain)),
    "less_written": departing(
        (written["round_1_multiplier_4"] / written["round_1_beside"]).totals, idle=wrote_in_each_session
    ),
    "siblings": of_round_1("round_1_siblings_3", "commits_per_flush", "commit_siblings"),
    "flush_after": of_round_1("round_1_flush_2mb", "log_bytes_per_write", "wal_writer_flush_after"),
    "naptime": departing(tps["naptime_10"] / tps["round_2"], idle=any_vacuumed),
    "workers_003": departing(
        tps["round_2"] / tps["workers_default"], working=no_workers("round_2", "workers_default"), inert=no_plan
    ),
    "warmth": departing(tps["round_2"] / tps["round_2_cold"], idle=states.apart),
    "smaller_data": tps["round_2_fits"] / tps["round_1_cold"],
    "smaller_and_warm": tps["round_2_fits_warm"] / tps["round_1_cold"],
    "slow_flush": tps["slow_flush_200"] / tps["slow_flush_0"],
    "again": tps["round_2_again"] / tps["round_2"],
    "lz4": tps["second_lz4"] / tps["second_off"],
}  # fmt: skip

FACTORS = {column: factor.words for column, factor in screening.FACTORS.items()}


def combined(summary: Summary, *, together: bool = False) -> singles.Sorted:
    """The fifteen settings by their names, that of compression with the codec that was switched on.

    together: with intervals that hold at the same time (Bonferroni), which say what moved among so many.
    """
    codec, alike = summary.run.provenance.get("wal_compression"), summary.at(1 - 0.05 / (15 if together else 1))
    names = {column: words.split()[0] for column, words in FACTORS.items()}
    names |= {13: f"wal_compression = {codec}"} if codec else {}
    return singles.Sorted({name: alike.effect(column) for column, name in names.items()})


def undecided(summary: Summary) -> int:
    """How many of them neither moved throughput nor are shown to leave it within 5 %."""
    decided = {*combined(summary, together=True).moved} | {*combined(summary).within(singles.SOLD)}
    return len(FACTORS) - len(decided)


def largest(summary: Summary) -> SimpleNamespace:
    """The largest main effect."""
    effects = {singles.named(words, summary): summary.effect(column) for column, words in FACTORS.items()}
    name, effect = max(effects.items(), key=lambda item: abs(item[1].point - 1))
    return SimpleNamespace(name=name, effect=effect)


def plans(summary: Summary) -> SimpleNamespace:
    """Under which other settings the planner was asked, which of them changed a plan, and how many are parallel."""
    found = summary.run.provenance.get("plans") or {}
    if "defaults" not in found:
        raise kit.NotEstimableError("nobody asked for the plans", "measure again")
    others = [name for name in found if name != "defaults"]
    changed = [name for name in others if found[name] != found["defaults"]]
    parallel = sum("Parallel" in text or "Gather" in text for text in found.values())
    return SimpleNamespace(others=others, changed=changed, parallel=parallel)


def of_arms(metric: str, names: Mapping[Any, str], summary: Summary) -> dict[Any, float]:
    """A metric of those of the configurations that have it, by what they are called here."""
    return {called: summary.mean(arm, metric) for called, arm in names.items() if summary.has(arm, metric)}


WORDS: dict[str, Callable[[Summary], Any]] = {
    "per_page": partial(of_arms, "transactions_per_account_page", {"round 2": "round_2", "B": "scenario_b"}),
    "carried": partial(of_arms, "commits_per_flush", arms.FLUSHES),
    "failed": lambda summary: summary.failures(summary.arms),
    "launched": launched,
    "backend_writes": lambda summary: summary.mean("round_2", "backend_writes_per_transaction"),
    "cleaned": lambda summary: summary.mean("round_2", "cleaned_per_transaction"),
    "commits": lambda summary: summary.mean("round_2", "commits_per_flush"),
    "repeated": lambda summary: repeated(summary, *PAIR, "tps", "latency_mean_ns", "peak_tps", "min_tps"),
    "single": singles.sort,
    "detectable": lambda summary: singles.detectable(summary) - 1,
    "combined": partial(combined, together=True),
    "combined_still": lambda summary: combined(summary).within(singles.SOLD),
    "combined_open": undecided,
    "largest": largest,
    "plans": plans,
    **{f"{start}_trials": partial(states.inspected, start) for start in Start},
}


def note_claims(summary: Summary) -> pd.DataFrame:
    """The notes' own numbers: one run each, without intervals."""
    columns = ["run", "what", "TPS"]
    runs = note("c8gb_runs")[["run", "scenario", "tps_avg"]].set_axis(columns, axis=1).assign(note="002", kind="run")
    third = note("r8g_runs")[["round", "label", "tps"]].set_axis(columns, axis=1).assign(note="003", kind="round")
    found = pd.concat([runs, third])
    change = found.groupby("note")["TPS"].pct_change()
    found["run"] = found["kind"] + " " + found["run"].astype(str)
    found["over the run before"] = ["" if pd.isna(each) else f"{each:+.0%}" for each in change]
    found["TPS"] = [f"{each:,.0f}" for each in found["TPS"]]
    return found.drop(columns="kind").set_index(["note", "run"])


def codecs(summary: Summary) -> pd.DataFrame:
    """Per codec: log and page images per transaction, processor time, throughput."""
    first = summary.run.provenance.get("wal_compression", UNKNOWN)
    rows = {"round_2": f"first server, {first}", "no_compression": "first server, off"}
    rows |= {arm: f"second server, {codec}" for codec, arm in arms.CODECS.items()}
    columns = levels(summary, "tps", otherwise=NOT_ESTIMABLE) | means(
        summary, "wal_bytes_per_transaction", "full_images_per_transaction", "cpu_per_transaction_s", "cpu_busy_share",
        otherwise=UNKNOWN,
    )  # fmt: skip
    return table([({"wal_compression": words}, arm) for arm, words in rows.items()], columns)


def aliases(summary: Summary) -> pd.DataFrame:
    """The alias structure of the combinations: each effect, and the interactions that it cannot be told from."""
    short = {column: words.partition(" ")[0] for column, words in FACTORS.items()}
    pairs = {c: "; ".join(f"{short[j]} × {short[k]}" for j, k in screening.aliases(c)) for c in FACTORS}
    columns = ["setting", "aliased with the interactions"]
    return pd.DataFrame([(FACTORS[c], pairs[c]) for c in FACTORS], columns=columns).set_index("setting")


TABLES = {"note_claims": note_claims, "codecs": codecs, "aliases": aliases}


def largest_first(summary: Summary) -> Mapping[int, str]:
    """The factors by the size of their effect."""
    size = dict.fromkeys(FACTORS, 0.0)
    with suppress(BenchbookError):
        size = {column: abs(math.log(summary.effect(column).point)) for column in FACTORS}
    return {c: singles.named(FACTORS[c], summary) for c in sorted(size, key=size.__getitem__, reverse=True)}


def claims_figure(note_number: str, subject: str, what: str) -> kit.ClaimFigure:
    """The claims of a note that have a row."""
    title, own = f"Claims on {subject} against measurements", f"fig-config-ladder-claims-{note_number}"
    return kit.ClaimFigure(title=title, what=what, only=lambda answer: answer.figure == own and bool(answer.row))


FIGURES = {
    "settings_003": singles.dots(
        singles.OF_003, singles.BAND, "This run did not measure the settings one at a time", scale="plain"
    ),
    "settings_002": singles.dots(
        singles.OF_002, singles.BAND, "This run did not measure note 002's settings one at a time", scale="plain"
    ),
    "combinations": kit.Dots(
        rows=largest_first, row="setting", series={"main effect": Summary.effect},
        given=lambda summary: (singles.SOLD_BAND,), scale="plain", rule=1, replicates="blocks",
        axis="throughput, second value over first (above 1: faster)",
        nothing="This run did not measure the combinations", mend="measure all parts",
    ),
    "rounds": states.over_round_2(
        {
            "round_1": "round 1, warm", "round_3": "round 3, warm", "round_1_cold": "round 1, cold",
            **states.LATER_RUNS, "round_3_cold": "round 3, cold", "round_1_fits": "round 1, cold, smaller data",
            "round_2_fits": "round 2, cold, smaller data", "round_2_fits_warm": "round 2, warm, smaller data",
        },
        "measure all parts",
    ),
    "claims_002": claims_figure(
        "002", "parallel workers", "What note 002 credits to the settings of parallel workers"
    ),
    "claims_003": claims_figure(
        "003", "rounds, warmth and compression",
        "What note 003 credits to its rounds, to warm caches and to compression",
    ),
}  # fmt: skip
