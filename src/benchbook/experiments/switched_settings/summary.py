"""Per-block values of a run, its settings one by one, and checks of its turns."""

from __future__ import annotations

from collections.abc import Mapping

from benchbook.experiments.families.pgbench import summary as family
from benchbook.experiments.families.pgbench.ladder import arms as ladder
from benchbook.experiments.families.pgbench.ladder import singles
from benchbook.experiments.families.pgbench.ladder.singles import Pair
from benchbook.experiments.families.pgbench.metric_words import METRICS, percent
from benchbook.experiments.shape.metrics import Metric, Metrics
from benchbook.experiments.switched_settings.arms import ALONE, CONTROL, Parameters
from benchbook.model import Effect

US = 1e6
WAITING = Pair("synchronous_commit off instead of on", CONTROL, ladder.ROUND_2)
"""Not the note's: a setting that is known to matter."""
COMPRESSION = "wal_compression on instead of off"
NOTE_003: Mapping[str, Pair] = {**singles.OF_003, WAITING.words: WAITING}
NOTE_002: Mapping[str, Pair] = singles.OF_002
CODECS: Mapping[str, Pair] = {
    f"{codec} instead of off": Pair(f"{codec} instead of off", arm, ladder.CODECS["off"])
    for codec, arm in ladder.CODECS.items()
    if codec != "off"
}
BOTH_WAYS: Mapping[str, Pair] = {pair.words: pair for pair in (singles.OF_003[COMPRESSION], WAITING)}
"""Settings that are measured in turns and on servers of their own."""

_METRICS: Metrics = {
    **METRICS,
    "pool_used_share": percent("share of the pool in use when the turns began"),
    "wal_bytes_per_transaction": Metric("log per transaction", "bytes"),
    "cleaned_per_transaction": Metric("pages that the background writer cleaned per transaction"),
    "cpu_per_transaction_s": Metric("server's processor time per transaction", "µs", US),
    "cpu_busy_share": percent("share of the processors' time that was used"),
    "full_images_per_transaction": Metric("full page images per transaction"),
    "reads_per_transaction": Metric("blocks read per transaction"),
    "early_over_kept": Metric("throughput of the first part of a turn over that of the rest"),
    "switch_s": Metric("time to switch", "ms", 1e3),
    "turns": Metric("number of turns"),
    "counted_transactions": Metric("number of transactions that count"),
    "sample_mean_ns": Metric("mean latency of the stored transactions", "ms", 1e-6),
    "sample_p50_ns": Metric("median latency of the stored transactions", "ms", 1e-6),
}


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = _METRICS

    def known(self, pairs: Mapping[str, Pair]) -> dict[str, str]:
        """Rows of those pairs both of whose configurations the run has, under their words."""
        arms = self.configurations
        known = {words: pair for words, pair in pairs.items() if pair.top in arms and pair.bottom in arms}
        return singles.rows(known, self)

    def effect(self, pair: Pair, metric: str = "tps") -> Effect:
        """Ratio of a metric with a setting to that without, in turns on one server."""
        return self.gain(pair.top, pair.bottom, metric)

    def alone(self, pair: Pair) -> Effect:
        """The same of the throughput, each on a server of its own."""
        return self.gain(f"{ALONE}{pair.top}", f"{ALONE}{pair.bottom}")

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        return "measure all parts, with second_server=true"

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        missing = len(type(p).model_fields["parts"].default) - len(p.parts)
        found = {
            f"{missing} of {missing + len(p.parts)} parts left out": bool(missing),
            "this machine's own dirty limits, and pools in ordinary pages": not p.allow_vm_settings,
        }
        return [*(text for text, departs in found.items() if departs), *super().departures()]
