"""What a run of this chapter is asked beside what every run of feature serving is."""

from __future__ import annotations

from benchbook.experiments.families.features import summary
from benchbook.experiments.hot_cold_keys.arms import BASELINE, EMPTY, Parameters


class Summary(summary.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    @property
    def reading(self) -> list[str]:
        """The configurations that read tables, on this machine's own storage."""
        return [arm for arm in self.plain if arm != EMPTY]

    def client_share(self) -> float:
        """The empty statement's share of the hot configuration's median latency."""
        return float(self.latency(EMPTY, "p50_ns").point / self.latency(BASELINE, "p50_ns").point)

    def client_sentence(self) -> str:
        """The same for captions."""
        return (
            f"The same loop over an empty statement takes {self.client_share():.0%} of the hot median: that share is "
            "due to the client and the protocol, not the cache."
        )
