"""Note 003's three rounds, warm, and the first two from empty caches, on a server that compresses its log with lz4."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Self

from pydantic import model_validator

from benchbook import kit, notes
from benchbook.errors import MachineError, NoEngineError
from benchbook.measuring import pgbench
from benchbook.measuring.pgbench.ladder import arms, bench, course, second, states
from benchbook.measuring.pgbench.ladder import parameters as ladder
from benchbook.notes.own_reports import evidence

COLD_PAIR, PAIR = ("round_1_cold_again", "round_1_cold"), ("round_2_again", "round_2")
NAMES = ("round_2", "round_2_again", "round_1", "round_3", "round_1_cold", "round_1_cold_again", "round_2_cold")
"""Of the ladder's configurations, those that are measured here."""
SOURCE = {"engine_source": "a package of this system"}


class Parameters(pgbench.Parameters):
    """Defaults are the standard profile: 300 MB of data, six minutes a block on two processors and a local disk."""

    blocks: int = kit.common("blocks", 4)
    scale: int = kit.common("scale", 20)
    clients: int = kit.common("clients", 10)
    trial_seconds: int = kit.common("trial_seconds", 30, high=3_600)
    fill_seconds: int = kit.common("warm_fill_seconds", 5)
    allow_vm_settings: bool = kit.param(
        True,
        words="reserve huge pages for the pools, as the note did, and free them after each trial (root only); without "
        "it ordinary pages are used",
    )

    @model_validator(mode="after")
    def _fits_the_ladder(self) -> Self:
        assert self.ladder
        return self

    @property
    def ladder(self) -> ladder.Parameters:
        """The same for the ladder, whose trials are made here."""
        own = {name: getattr(self, name) for name in (*pgbench.Parameters.model_fields, "allow_vm_settings")}
        lengths = {"warm_seconds": self.trial_seconds, "warm_fill_seconds": self.fill_seconds, "restart_seconds": 1}
        without = {"second_server": False, "allow_slow_storage": False}
        return ladder.Parameters.given({**own, **lengths, **without, "parts": ["rounds", "states"]})

    @property
    def log_bytes(self) -> int:
        return self.ladder.log_bytes

    @property
    def memory_bytes(self) -> int:
        return int(pgbench.SMALL_RAM_OVER_DATA * self.data_bytes) + ladder.EXTRA_BYTES + 300_000_000


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """The rounds; what is compared stands together in a block."""
    known = {arm.name: arm for arm in arms.configurations(parameters.ladder)}
    return (known[name] for name in NAMES)


def needs(parameters: Parameters) -> kit.Needs:
    """Of all trials; a PostgreSQL with lz4; root where asked."""
    p = parameters
    warm = {arm.name: arm.settings["start"] == "warm" for arm in configurations(p)}
    runs = {arm.name: int(arm.settings.get("runs") or 1) for arm in configurations(p)}
    lengths = [(p.fill_seconds + 1) * warm[name] + runs[name] * (p.trial_seconds + 1) for name in NAMES]
    usual = pgbench.needs(p, lengths, beside_s=3.0, usable=lambda: pgbench.has_huge_pages(p, pool_over_data=0.6))
    return replace(usual, engine=_identity)


def _identity() -> dict[str, Any]:
    try:
        return second.find().identity() | SOURCE
    except MachineError as error:
        raise NoEngineError(error.problem, "install Debian's package postgresql") from error


class Rounds(bench.Bench):
    """The ladder's trials on a server that is not the one of the other chapters."""

    def provenance(self) -> dict[str, Any]:
        return super().provenance() | SOURCE


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Rounds]:
    with second.loaded(parameters.scale, parameters.disk_bytes, progress) as found:
        yield Rounds(parameters.ladder, found)


reduce = course.reduce
METRICS = states.METRICS


class Summary(pgbench.Summary[Parameters]):
    def departures(self) -> list[str]:
        ordinary = [] if self.parameters.allow_vm_settings else ["pools in ordinary pages"]
        return [*ordinary, *super().departures()]


def aa_gates(summary: Summary, answer: kit.Answer) -> list[kit.Gate]:
    """The round that is measured twice, against itself: from empty caches for claims on these."""
    cold = answer.estimand.names(summary) <= {*summary.where("start", "cold")}
    return [summary.aa_gate(*(COLD_PAIR if cold else PAIR), answer.estimand.metric or "")]


REPORTS = {claim: evidence(claim) for claim in ("R023", "R038", "R049", "R051", "R094")}
checks = pgbench.claim_checks(lambda p: p.trial_seconds)
tps, mean, sd = (kit.measured(name) for name in ("tps", "latency_mean_ns", "latency_sd_ns"))
first = kit.measured("interval_01_tps")
log, reads = kit.counted("wal_bytes_per_transaction"), kit.counted("reads_per_transaction")


third = pgbench.treatment.applied("shared_buffers", "round_3", "round_2")
five = pgbench.treatment.every(
    pgbench.treatment.applied("wal_writer_flush_after", "round_2_cold", "round_1_cold"),
    states.cold("round_2_cold", "round_1_cold"),
)
claim = partial(pgbench.claimed, lambda summary, few: (few, states.other_codec(summary)))


def within(arm: str, above: str, below: str = "tps", *, aa: str = "", **ground: Any) -> Any:
    """Ratio of two metrics of each trial of one configuration. aa: metric of the A/A pair, by default the first's."""
    parts = kit.measured(above)[arm] / kit.measured(below)[arm]
    return claim(parts.as_quantity(kit.Quantity.PARTS, aa or above), **ground)


NUMBERS = {
    "round_3": claim(tps["round_3"] / tps["round_2"], idle=third),
    "round_3_latency": claim(mean["round_3"] / mean["round_2"], idle=third),
    "round_3_spread": claim(sd["round_3"] / sd["round_2"], idle=third),
    "round_3_start": claim(first["round_3"] / first["round_2"], idle=third),
    "round_3_log": log["round_3"] / log["round_2"],
    "round_3_reads": reads["round_3"] / reads["round_2"],
    "best_round": claim(pgbench.largest("round_2", ("round_1", "round_3"))),
    "five": claim(tps["round_2_cold"] / tps["round_1_cold"], idle=five),
    "five_latency": claim(mean["round_2_cold"] / mean["round_1_cold"], idle=five),
    "emptied": claim(tps["round_2_cold"] / tps["round_2"], idle=states.apart),
    **{f"{nth}_run": within("round_2_cold", f"{nth}_tps", aa="tps", idle=states.warmer(f"{nth}_"))
       for nth in ("second", "third")},
    "third_run_last": within("round_2_cold", "third_interval_12_tps", "third_tps", aa="interval_12_tps"),
    "round_1_first": within("round_1_cold", "interval_01_tps", "interval_12_tps"),
    "round_1_falls": within("round_1_cold", "fourth_quarter_tps", "third_quarter_tps"),
    "round_2_first": within("round_2", "interval_01_tps", "rest_tps"),
    "round_2_least": within("round_2", "min_tps", "peak_tps", bounded=True),
    **{f"{arm}_peak": within(arm, "peak_tps", bounded=True) for arm in ("round_2", "round_3")},
    **{f"{arm}_{nth}": within(arm, f"interval_{of}_tps")
       for arm in ("round_2", "round_3") for nth, of in {"second": "02", "third": "03", "last": "12"}.items()},
    **{name: tps[again] / tps[once] for name, (again, once) in {"again": PAIR, "again_cold": COLD_PAIR}.items()},
}  # fmt: skip
WORDS = {
    "apparatus": Summary.apparatus,
    "per_page": lambda summary: summary.mean("round_2", "transactions_per_account_page"),
    "pool_cold": lambda summary: summary.mean("round_2_cold", "data_in_pool_start"),
    "pool_warm": lambda summary: summary.mean("round_2", "data_in_pool_start"),
    "failed": lambda summary: summary.failures(summary.arms),
}
COURSES = {"round_1_cold": "round 1, cold", "round_2": "round 2, warm", "round_3": "round 3, warm"}


def noted(summary: Summary) -> Iterator[kit.Given]:
    """The note's rounds in intervals of 5 s, over the mean of each."""
    for number, seen in notes.table("r8g_timeline").groupby("round"):
        share = seen["tps"] / notes.number("r8g_runs", "tps", round=number)
        yield kit.Given(f"the note's round {number}", dict(zip(seen["t_s"] // 5, share, strict=True)))


FIGURES = {
    "rounds": states.over_round_2(
        {"round_2_again": "round 2 again (A/A)", "round_1": "round 1, warm", "round_3": "round 3, warm",
         "round_1_cold": "round 1, cold", **states.LATER_RUNS}, "measure again",
    ),
    "courses": kit.Lines(
        over=lambda summary: range(1, 13), across="twelfth of the trial (5 s in the note)", given=noted, rule=1,
        series={name: kit.measured("interval_{:02}_tps")[arm] / tps[arm] for arm, name in COURSES.items()},
        axis="throughput over the mean of the trial", scale="plain", replicates="blocks", heading="round",
        nothing=states.NOTHING, mend="measure again",
    ),
    "claims": kit.ClaimFigure(
        title="Claims on note 003's rounds against measurements", only=lambda answer: bool(answer.row),
        what="What note 003 credits to its rounds and to warm caches",
    ),
}  # fmt: skip
