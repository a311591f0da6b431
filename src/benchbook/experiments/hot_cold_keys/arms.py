"""What can be set, and the configurations: which keys are warmed, which are measured, under which pool."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Self

from pydantic import Field, model_validator

from benchbook.experiments.families.features.arms import arm, hot_share
from benchbook.experiments.families.features.parameters import Features
from benchbook.model import Configuration, Scalar

BASELINE = "same_keys"
REPEATED = "same_keys_again"
DISJOINT = "disjoint"
MIXED = "hot_share_80"
COLD, PROBED = "true_cold", "true_cold_probed"
ALL_WARMED, TEN_PERCENT = "all_warmed_large_pool", "ten_percent_warmed_large_pool"
SAME_FIRST, DISJOINT_FIRST = "same_keys_first_table", "disjoint_first_table"
EMPTY = "empty_statement"


class Parameters(Features):
    """Defaults are the standard profile."""

    large_pool_mib: int = Field(
        3584, ge=1, le=1_000_000,
        description="buffer pool in MiB of the *_large_pool configurations; should hold all data",
    )  # fmt: skip
    hot_shares_percent: tuple[int, ...] = Field(
        (90, 80, 50), description="shares in % of requests on the hot set, between 100 (same keys) and 0 (disjoint)"
    )
    zipf_exponents: tuple[float, ...] = Field(
        (0.8, 0.99, 1.2), description="exponents of the Zipf configurations, over all keys of a table"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if self.large_pool_mib < self.shared_buffers_mib:
            raise ValueError(
                f"large_pool_mib={self.large_pool_mib} is smaller than shared_buffers_mib={self.shared_buffers_mib}"
            )
        if any(not 0 < share < 100 for share in self.hot_shares_percent):
            raise ValueError(f"hot_shares_percent={self.hot_shares_percent} must lie between 1 and 99")
        if any(not 0 < exponent < math.inf for exponent in self.zipf_exponents):
            raise ValueError(f"zipf_exponents={self.zipf_exponents} must be above 0 and finite")
        for name in ("hot_shares_percent", "zipf_exponents"):
            values = getattr(self, name)
            if len({f"{value:g}" for value in values}) != len(values):  # as their configurations are named
                raise ValueError(f"{name}={values} names a value twice")
        return self

    @property
    def largest_pool_mib(self) -> int:
        """The largest buffer pool of any configuration."""
        return self.large_pool_mib

    def pool_mib(self, settings: Mapping[str, Scalar]) -> int:
        """The buffer pool of a configuration."""
        return self.large_pool_mib if settings.get("large_pool") else self.shared_buffers_mib


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    hot, requests = f"{parameters.hot_set_keys:,}", f"{parameters.measured_requests:,}"
    return (
        arm(BASELINE, "same keys (hot)", "same"),
        arm(REPEATED, "same keys, again (A/A)", "same"),
        *(arm(hot_share(share), f"{share} % hot", "mix", share=share / 100) for share in parameters.hot_shares_percent),
        arm(DISJOINT, "disjoint keys (the note's mistake)", "disjoint"),
        arm(COLD, "no warm-up at all", "disjoint", warm=False, probe=False),
        arm(PROBED, "no warm-up but start-up probes", "disjoint", warm=False),
        *(arm(zipf_name(each), f"Zipf {each:g}", "zipf", exponent=each) for each in parameters.zipf_exponents),
        arm(ALL_WARMED, f"all {requests} keys warmed, large pool", "all_warmed", large_pool=True),
        arm(TEN_PERCENT, f"10 % of {requests} keys warmed, large pool", "ten_percent", large_pool=True),
        arm(SAME_FIRST, f"same {hot} keys, first table only", "same", only_first=True),
        arm(DISJOINT_FIRST, "disjoint keys, first table only", "disjoint", only_first=True),
        arm(EMPTY, "empty statement (client cost)", "empty"),
    )


def zipf_name(exponent: float) -> str:
    """Configuration name of a Zipf exponent, such as zipf_0_99."""
    return f"zipf_{exponent:g}".replace(".", "_")
