"""What a run of the event suite is asked in any chapter: latencies, hits, charges, and whether the counts agree."""

from __future__ import annotations

from typing_extensions import TypeVar

from benchbook.measuring.badger.parameters import Bursts, Suite
from benchbook.numbers import summary
from benchbook.statistics import Gate

P = TypeVar("P", bound=Bursts, covariant=True, default=Bursts)


class Summary(summary.Summary[P]):
    """One run, ready for figures and verdicts."""

    MEND = "raise events, so that more of the store leaves memory"

    def counts_agree(self) -> list[Gate]:
        """Per trial: what the probe timed is what the store says it saved."""
        trials = self.run.trials
        if "saved_events" not in trials:
            return []
        saving = trials[["saved_events", "timed_saves"]].dropna(how="all")  # look-ups save nothing
        differ = int((saving["saved_events"] != saving["timed_saves"]).sum())
        return [Gate("counts agree", differ == 0, float(differ), f"timed and stored events differ in {differ} trials")]

    def departures(self) -> list[str]:
        p, found = self.parameters, super().departures()
        if p.burst_quiet_ms != 500 or p.burst_spread_ms != 100:
            found.append(
                f"bursts spread over {p.burst_spread_ms:g} ms with {p.burst_quiet_ms:g} ms of quiet instead of 100 "
                "and 500"
            )
        if isinstance(p, Suite) and (p.query_s != 60 or p.concurrent_s != 60):
            found.append(
                f"query tests of {p.query_s:g} s (one client) and {p.concurrent_s:g} s (several) instead of 60"
            )
        return found

    def sizes(self) -> str:
        return f", {self.parameters.events:,} events twice"
