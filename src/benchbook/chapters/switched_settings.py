"""The ladder's settings, each switched to on a server that is under load; a group of them has one server."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Literal, Self, cast

import numpy as np
import pandas as pd
from pydantic import model_validator

from benchbook import kit
from benchbook.engines.pgbench.load import load
from benchbook.engines.postgres import sessions
from benchbook.engines.postgres.switching import Switched
from benchbook.measuring import pgbench
from benchbook.measuring.pgbench import treatment, turns
from benchbook.measuring.pgbench.ladder import arms as ladder
from benchbook.measuring.pgbench.ladder import bench, second, singles
from benchbook.measuring.pgbench.ladder.parameters import EXTRA_BYTES, LARGEST_RAM_OVER_DATA, SECOND, VM, check_smallest
from benchbook.notes import table as note
from benchbook.notes.other_runs import writer_idle
from benchbook.notes.own_reports import evidence
from benchbook.numbers.estimands import Words
from benchbook.numbers.inert import published

Part = Literal["round_2", "round_1", "scenario_b", "codecs", "alone"]
PARTS: tuple[Part, ...] = ("round_2", "round_1", "scenario_b", "codecs", "alone")
NO_WAIT: Mapping[str, kit.Scalar] = {"synchronous_commit": False}
"""What is known to matter: a commit that does not wait for its flush."""
GROUPS: Mapping[str, tuple[str, ...]] = {
    "round_2": (
        "round_2", "no_compression", "multiplier_5", "wal_writer_200", "page_cost_4", "bgwriter_200",
        "delay_10_siblings_2", *ladder.DELAYS.values(), "no_wait",
    ),
    "round_1": ("round_1_beside", *ladder.OF_ROUND_1),
    "scenario_b": ("scenario_b", *ladder.OF_B),
    "codecs": tuple(ladder.CODECS.values()),
}  # fmt: skip
"""The ladder's names of the settings that are switched on one server, which starts as the first of them."""
ALONE_TIMES = 3
"""As many times as long is one under load that has a server of its own: it must last for more than one CHECKPOINT."""


class Parameters(pgbench.Parameters):
    """Defaults are the standard profile: 300 MB of data, some six minutes a block on two processors."""

    blocks: int = kit.common("blocks", 4, high=500)
    scale: int = kit.common("scale", 20)
    clients: int = kit.common("clients", 10)
    parts: tuple[Part, ...] = kit.param(
        PARTS,
        words="what is measured: note 003's settings around its second round (always), around its first, note 002's "
        "Scenario B, compression on a second server, and three configurations on servers of their own as well",
    )
    rounds: int = kit.param(8, 2, 10_000, "rounds in a block; each gives every setting one turn")
    turn_ms: int = kit.param(1_000, 100, 600_000, "length of a turn in ms")
    discard_ms: int = kit.param(
        250, 20, 300_000, "first part of a turn that does not count, in ms: the switch takes effect"
    )
    checkpoint_seconds: int = kit.param(
        10, 1, 86_400, "a round begins with a CHECKPOINT when this time has passed since the last one"
    )
    warm_fill_seconds: int = kit.common(
        "warm_fill_seconds", 3, 1, words="discarded TPC-B run before the turns, on a pool that pg_prewarm filled"
    )
    second_server: bool = kit.param(True, words=SECOND)
    allow_vm_settings: bool = kit.param(True, words=VM)

    @model_validator(mode="after")
    def _something_counts(self) -> Self:
        none = f"discard_ms={self.discard_ms} leaves nothing of a turn of {self.turn_ms} ms"
        wrong = "round_2" not in self.parts or len(set(self.parts)) != len(self.parts)
        kit.refuse(self.discard_ms >= self.turn_ms, none)
        kit.refuse(wrong, f"parts={list(self.parts)} must name round_2 and each part at most once")
        check_smallest(self)
        return self

    @property
    def has_second(self) -> bool:
        """Whether some configurations lie on a second server."""
        return self.second_server and "codecs" in self.parts

    def rounds_of(self, group: str) -> int:
        """Rounds of a group; "" for a configuration with a server of its own."""
        return self.rounds if group else ALONE_TIMES * self.rounds

    def load_s(self, arms: int, group: str) -> float:
        """How long so many configurations of a group take turns in a block, in seconds."""
        return arms * self.rounds_of(group) * self.turn_ms / 1_000

    @property
    def warm_seconds(self) -> int:
        """Length of the longest load in whole seconds: what stands for the note's trial in autovacuum_naptime."""
        return math.ceil(self.load_s(1 + max(map(len, GROUPS.values())), "round_2"))

    @property
    def log_bytes(self) -> int:
        return pgbench.log_bytes(self, self.warm_seconds + self.warm_fill_seconds, images=3)

    @property
    def disk_bytes(self) -> int:
        """The family's, and template and copy of the second server."""
        return super().disk_bytes + (int(2.4 * self.data_bytes) + 300_000_000 if self.has_second else 0)

    @property
    def memory_bytes(self) -> int:
        return int(LARGEST_RAM_OVER_DATA * self.data_bytes) + EXTRA_BYTES + 500_000_000


@cache
def _of_the_ladder() -> Mapping[str, kit.Configuration]:
    known = {arm.name: arm for arm in ladder.configurations(ladder.Parameters(second_server=True))}
    base = known["round_2"]
    label = f"{base.label}, commits that do not wait"
    return known | {"no_wait": kit.Configuration("no_wait", label, {**base.settings, **NO_WAIT})}


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every group's base, the same again (A/A) and its other settings; and three with a server of their own."""
    known = _of_the_ladder()
    for part in parameters.parts:
        if part == "alone":
            for name in ("round_2", "no_compression", "no_wait"):
                yield kit.Configuration(f"alone_{name}", f"{known[name].label}, alone", known[name].settings)
        elif part != "codecs" or parameters.has_second:
            base, *others = (replace(known[name], group=part) for name in GROUPS[part])
            yield from (base, replace(base, name=f"{base.name}_again", label=f"{base.label} again (A/A)"), *others)


def needs(parameters: Parameters) -> kit.Needs:
    """Of all turns, and of each server's start; root where asked for."""
    p, arms = parameters, [*configurations(parameters)]
    loads: dict[str, float] = {}
    for arm in arms:
        server = arm.group or arm.name
        loads[server] = loads.get(server, p.warm_fill_seconds) + p.load_s(1, arm.group)
    return pgbench.needs(
        p, loads.values(), beside_s=4.0, loads=2 if p.has_second else 1, usable=lambda: bench.usable(p)
    )  # fmt: skip


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    p = parameters
    with ExitStack() as stack:
        found = stack.enter_context(pgbench.tables.loaded(p.scale, p.disk_bytes, progress, "pg_prewarm"))
        other = stack.enter_context(second.loaded(p.scale, p.disk_bytes, progress)) if p.has_second else None
        yield Bench(cast(Any, p), found, second=other)  # p has what the ladder's bench asks of its own


@dataclass(frozen=True)
class Bench(bench.Bench):
    """The ladder's servers; a group's configurations are switched on one of them. turns: while they are measured."""

    turns: turns.Turns | None = None

    def measure(self, planned: kit.PlannedTrial) -> kit.Trial:
        """One configuration with a server of its own, as long as its turns would take."""
        (trial,) = self.side_by_side([planned], lambda: None, lambda text: None)
        return trial

    def side_by_side(
        self, planned: Sequence[kit.PlannedTrial], between: Callable[[], None], say: Callable[[str], None]
    ) -> Iterator[kit.Trial]:
        """Switch one server between the configurations. Where it dies, all of them have failed."""
        first = GROUPS.get(planned[0].configuration.group, ("",))[0]
        base = next((each for each in planned if each.configuration.name == first), planned[0])
        took = turns.Turns(planned, between)
        tables = self.second if base.configuration.settings.get("second") else None
        whole = pgbench.Bench.measure(replace(self, tables=tables or self.tables, turns=took), base)
        for each in planned:
            name = each.configuration.name
            metrics, samples = took.found.get(name, ({}, {}))
            labels = {**whole.labels, **({"settings": took.in_force[name]} if name in took.in_force else {})}
            yield kit.Trial(each, whole.started_at, whole.duration_s / len(planned), metrics, labels, samples)

    def settings(self, arm: kit.Configuration) -> pgbench.Settings:
        """Server settings of the start: without those that are switched, which a command line would fix."""
        switched = self.switched(arm)
        return {name: value for name, value in super().settings(arm).items() if name not in switched}

    def switched(self, arm: kit.Configuration) -> pgbench.Settings:
        """Those of a configuration in which the configurations of its server differ."""
        whole = super().settings
        every = [whole(each.configuration) for each in self.turns.planned] if self.turns else []
        return {name: value for name, value in whole(arm).items() if any(other[name] != value for other in every)}

    def trial(self, planned: kit.PlannedTrial, bound: pgbench.MemoryBound) -> pgbench.Measured:
        """Fill the pool, put the server under load, let all configurations take their turns, check what was written."""
        assert self.turns is not None
        p, cluster, took = cast(Parameters, self.parameters), self.tables.cluster, self.turns
        common: pgbench.Metrics = {"dirty_start_bytes": pgbench.residency.dirty_bytes()}
        with cluster.connect() as observer:
            server = Switched(observer)
            server.apply(self.switched(planned.configuration))
            common |= self._fill(planned)
            self._checkpoint()
            start, rows = self.look(), turns.history(cluster)
            tally = pgbench.tallies.read(observer, cluster)
            # Asked for beyond the turns, at the end of which it is stopped.
            seconds = int(p.load_s(len(took.planned), planned.configuration.group)) + 10
            workload = pgbench.Workload("tpcb-like", p.clients, p.threads, seconds, seed=planned.seed)
            with load(cluster, workload, logs=self.tables.place.beside) as running:
                self._take(server, observer, planned.seed, running.check)
            done, log = running.processed, running.log
            spent = pgbench.tallies.read(observer, cluster) - tally
        with pgbench.connect(cluster) as connection:
            pgbench.check_balances(connection)
        common |= pgbench.of_caches(start, self.look()) | {
            "full_images_per_transaction": spent.full_images / max(1, done),
            "reads_per_transaction": spent.common.reads / max(1, done),
            "transactions": float(done),
            "server_transactions": float(turns.history(cluster) - rows),
            "transactions_per_account_page": done / (p.scale * pgbench.PAGES_PER_SCALE),
            "pool_blocks": float(self.pool_blocks(planned.configuration)),
        }
        assert log is not None
        for name in (each.configuration.name for each in took.planned):
            metrics, samples = took.told(name, log, p.clients)
            took.found[name] = ({**common, **metrics}, samples)
        return took.found[planned.configuration.name]

    def _take(self, server: Switched, observer: Any, seed: int, check: Callable[[], None]) -> None:
        """All rounds, each of which begins with a CHECKPOINT where the last one is long ago."""
        assert self.turns is not None
        p, took, written, begun = cast(Parameters, self.parameters), self.turns, -math.inf, -1
        own = {arm.name: self.switched(arm) for arm in (each.configuration for each in took.planned)}
        counted = partial(turns.counts, observer, self.tables.cluster)
        for number, arm in took.rounds(p.rounds_of(took.planned[0].configuration.group), seed):
            if number > begun and time.monotonic() - written >= p.checkpoint_seconds:
                written = time.monotonic()
                observer.execute("CHECKPOINT")
            begun = number
            took.switched(arm.name, server, own[arm.name], counted, (p.turn_ms, p.discard_ms))
            check()
            if number == 0:
                now = sessions.effective(observer)
                took.in_force[arm.name] = "; ".join(f"{name}={value}" for name, value in now.items())


reduce = pgbench.reduce

METRICS = {
    **pgbench.METRICS,
    "pool_used_share": pgbench.percent("share of the pool in use when the turns began"),
    "wal_bytes_per_transaction": kit.Metric("log per transaction", "bytes"),
    "cleaned_per_transaction": kit.Metric("pages that the background writer cleaned per transaction"),
    "cpu_per_transaction_s": kit.Metric("server's processor time per transaction", "µs", 1e6),
    "cpu_busy_share": pgbench.percent("share of the processors' time that was used"),
    "reads_per_transaction": kit.Metric("blocks read per transaction"),
    "early_over_kept": kit.Metric("throughput of the first part of a turn over that of the rest"),
    "switch_s": kit.Metric("time to switch", "ms", 1e3),
    "turns": kit.Metric("number of turns"),
    "counted_transactions": kit.Metric("number of transactions that count"),
    **{name: pgbench.SPENT[name] for name in ("sample_mean_ns", "sample_p50_ns")},
}
REPORTS = {"R033": evidence("R033"), "C052": writer_idle, "C054": writer_idle}
"""What the notes' own reports show of the claims that they decide."""
MOVES = 0.05
"""Commits per flush that differ by less are the same: those of equal configurations differ by up to 2 %."""


class Summary(pgbench.Summary[Parameters]):
    REMEDY = "measure all parts, with second_server=true"

    def departures(self) -> list[str]:
        left = len(PARTS) - len(self.parameters.parts)
        own = f"{left} of {len(PARTS)} parts left out" * bool(left)
        return [*filter(None, (own, *treatment.of_machine(self.parameters))), *super().departures()]


def aa_gates(summary: Summary, answer: kit.Answer) -> list[kit.Gate]:
    """The base of the claim's own server against itself."""
    known = summary.configurations
    groups = sorted({known[arm].group for arm in answer.estimand.names(summary) if arm in known and known[arm].group})
    bases = (GROUPS[group][0] for group in groups)
    return [summary.aa_gate(f"{base}_again", base, answer.estimand.metric or "") for base in bases]


checks = treatment.full_pools


def fired(top: str, bottom: str) -> Words:
    """Why commit_delay changed nothing that a flush carries; "" where it did.

    A turn is too short for these counters. The same two configurations were measured one after the other as well, with
    as many clients, and what they counted is read from those runs; nothing is said where there are none.
    """

    def why(summary: Any) -> str:
        if same := treatment.applied("commit_delay", top, bottom)(summary):
            return same
        counted = [published(summary.chapter, "config_ladder", arm, "commits_per_flush") for arm in (top, bottom)]
        if not all(counted):
            return ""
        more, less = (float(np.exp(np.mean(np.log(each)))) for each in counted)
        return "" if abs(more / less - 1) >= MOVES else (
            f"a flush of the log carries {more:.3f} commits with it and {less:.3f} without, in {len(counted[0])} "
            f"trials of each, where less than {MOVES:.0%} counts as the same"
        )  # fmt: skip

    return why


def processors_idle(summary: Any) -> str:
    """That there was nothing to compress, or the processors were not short; "" where both were so in all trials."""
    least = min(float(summary.values(arm, "cpu_busy_share").min()) for arm in ("second_lz4", "second_off"))
    busy = f"the processors were busy for as little as {least:.0%} of the time in some trial"
    return treatment.images("second_off")(summary) or (busy if least < treatment.BUSY else "")


def departing(number: Any, *, limits: bool = False, codec: bool = False, **ground: Any) -> Any:
    """A number, with what the claim names and this run does not have. limits: of dirty data; codec: lz4.

    ground: as in ``estimands.Estimand``.
    """
    metric, pages = "transactions_per_account_page", treatment.PER_PAGE_002 if limits else treatment.PER_PAGE_003

    def what(summary: Any) -> str:
        made = min((summary.mean(arm, metric) for arm in summary.having(number.arms, metric)), default=pages)
        few = f"{made:.2f} transactions per page of the accounts where the claim names {pages:g}" * (made < pages)
        own = treatment.own_limits(summary.parameters) * limits
        lz4 = "no lz4, which the claim names" * (codec and not summary.parameters.has_second)
        return " and ".join(filter(None, (few, own, lz4)))

    return replace(number, departs=what, **ground)


def switched(setting: str, top: str, bottom: str) -> Any:
    """Throughput with a setting over that without."""
    return departing(
        tps[top] / tps[bottom], limits=top == "scenario_b", idle=treatment.applied(setting, top, bottom)
    )  # fmt: skip


tps, early, cleaned = kit.measured("tps"), kit.counted("early_over_kept"), kit.counted("cleaned_per_transaction")
processor, log = kit.measured("cpu_per_transaction_s"), kit.measured("wal_bytes_per_transaction")
OF_B = {
    "cache_size": ("effective_cache_size", "cache_default"), "work_mem": ("work_mem", "work_mem_4"),
    "cleaner_delay": ("bgwriter_delay", "bgwriter_200"), "multiplier": ("bgwriter_lru_multiplier", "multiplier_2"),
    "maxpages": ("bgwriter_lru_maxpages", "maxpages_1000"),
}  # fmt: skip
NUMBERS = {
    "pglz": departing(tps["second_pglz"] / tps["second_off"], codec=True, idle=processors_idle),
    "lz4": departing(tps["second_lz4"] / tps["second_off"], codec=True, idle=processors_idle),
    "processor_time": departing(
        processor["second_off"] / processor["second_lz4"], codec=True, idle=treatment.images("second_off")
    ),
    "option_b": departing(
        tps["delay_10_siblings_2"] / tps["round_2"], idle=fired("delay_10_siblings_2", "round_2")
    ),
    "writer_delay": switched("wal_writer_delay", "round_2", "wal_writer_200"),
    "page_cost": switched("random_page_cost", "round_2", "page_cost_4"),
    "cleaner_delay": switched("bgwriter_delay", "round_2", "bgwriter_200"),
    "maxpages": switched("bgwriter_lru_maxpages", "round_1_maxpages_500", "round_1_beside"),
    "more_cleaned": departing(
        cleaned["multiplier_5"] / cleaned["round_2"],
        idle=treatment.counts_some("round_2", "cleaned_per_transaction", "the background writer wrote no page"),
    ),
    "b": {name: switched(setting, "scenario_b", f"b_{arm}") for name, (setting, arm) in OF_B.items()},
    "lz4_log": log["second_lz4"] / log["second_off"],
    "early": early["round_2"],
    "again": tps["round_2_again"] / tps["round_2"],
    "waiting": tps["no_wait"] / tps["round_2"],
    "waiting_alone": tps["alone_no_wait"] / tps["alone_round_2"],
    "compression": tps["round_2"] / tps["no_compression"],
    "compression_alone": tps["alone_round_2"] / tps["alone_no_compression"],
}  # fmt: skip


def large(summary: Summary) -> list[str]:
    """The settings whose intervals lie wholly beyond the least that the notes sell."""
    low, high = 1 - singles.SOLD, 1 + singles.SOLD
    return [words for words, effect in singles.sort(summary).moved.items() if effect.high < low or effect.low > high]


def of_note(note_number: str, summary: Summary) -> dict[str, int]:
    """How many settings of a note were switched, and how many are shown to matter by less and by more than 5 %."""
    found = singles.sort(summary)
    some = {"every": found.every, "still": found.within(singles.SOLD), "large": large(summary)}
    return {name: sum(words.endswith(f"(note {note_number})") for words in each) for name, each in some.items()}


WORDS: dict[str, Callable[[Summary], Any]] = {
    "failed": lambda summary: summary.failures(summary.arms),
    "single": singles.sort,
    "large": large,
    "of_003": partial(of_note, "003"),
    "of_002": partial(of_note, "002"),
    "switched": lambda summary: len(singles.sort(summary).every),
    "moved": lambda summary: len(large(summary)),
    "still": lambda summary: len(singles.sort(summary).within(singles.SOLD)),
    # How far the median interval reaches to one side, as a share.
    "reach": lambda summary: float(
        np.median([math.sqrt(e.high / e.low) - 1 for e in singles.sort(summary).every.values()])
    ),
    "detectable": lambda summary: singles.detectable(summary) - 1,
    "switch_ms": lambda summary: (
        1e3 * max(summary.mean(arm, "switch_s") for arm in summary.having(summary.arms, "switch_s"))
    ),
    "images_own": lambda summary: summary.mean("round_2", "full_images_per_transaction"),
    "images_codecs": lambda summary: summary.mean("second_off", "full_images_per_transaction"),
}


def note_claims(summary: Summary) -> pd.DataFrame:
    """What note 003 changed between its rounds and why, in its own words."""
    found = note("r8g_param_changes")
    return found.set_index(found.columns[0])


TABLES = {"note_claims": note_claims}
NOTE_003: singles.Pairs = {**singles.OF_003, "synchronous_commit off instead of on": ("no_wait", "round_2")}
"""With a setting that is not the note's and is known to matter."""
OF_002 = "fig-switched-note-002"
FIGURES = {
    "note_003": singles.dots(NOTE_003, singles.SOLD_BAND, "This run did not measure note 003's settings"),
    "note_002": singles.dots(
        singles.OF_002, singles.SOLD_BAND, "This run did not measure note 002's Scenario B", scale="plain"
    ),
    "codecs": kit.Dots(
        rows={arm: f"{codec} instead of off" for codec, arm in ladder.CODECS.items() if codec != "off"},
        row="wal_compression",
        series={
            "throughput": tps["{}"] / tps["second_off"],
            "log per transaction": log["{}"] / log["second_off"],
            "processor time per transaction": processor["{}"] / processor["second_off"],
        },
        axis="with compression over without (throughput: above 1 is faster)", rule=1, replicates="blocks",
        nothing="This run did not measure the codecs", mend="install a second PostgreSQL with lz4",
    ),
    "claims_003": kit.ClaimFigure(
        title="Note 003's claims on single settings against measurements",
        what="What note 003 credits to single settings", only=lambda answer: answer.figure != OF_002,
    ),
    "claims_002": kit.ClaimFigure(
        title="Note 002's claims on single settings against measurements",
        what="What note 002's best configuration asks of its settings: that they cost nothing",
        only=lambda answer: answer.figure == OF_002,
    ),
}  # fmt: skip
