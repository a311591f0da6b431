"""Which keys a trial asks for: those that fill the caches, those of the warm-up, and those that are measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchbook.chapters.feature_buffers.arms import Parameters
from benchbook.model import Configuration
from benchbook.workloads import KeySets, hot_share


@dataclass(frozen=True)
class Asked:
    """Ids of rows, int64, in the order in which they are asked for. fill: as joins; warm: by the client."""

    fill: np.ndarray
    warm: np.ndarray
    measured: np.ndarray

    @property
    def before(self) -> np.ndarray:
        """All that was asked for before the measured ones."""
        return np.concatenate([self.fill, self.warm])


def asked(parameters: Parameters, configuration: Configuration, seed: int) -> Asked:
    """The keys of a trial; trials of a block share ``seed``, hence hot set, measured keys and what fills the caches.

    Disjoint keys are each asked for once, and nothing before asks for them. In the 80/20 mix that holds of the keys
    outside the hot set; the hot ones are asked for before and after in the same share.
    """
    p, settings = parameters, configuration.settings
    keys = KeySets.shuffled(0, p.rows_per_table, np.random.default_rng([seed, 0]))
    hot, fresh = keys.cut(0, p.hot_set_keys), keys.cut(p.hot_set_keys, p.measured_requests)
    others = keys.order[p.hot_set_keys + p.measured_requests :]
    share = float(settings.get("share") or 0)
    own = np.random.default_rng([seed, 1, round(100 * share)])
    n = min(p.measured_requests, int(settings.get("requests") or p.measured_requests))
    count = p.warmup_requests + (0 if settings.get("fill") is False else p.fill_requests)
    if share:
        measured = hot_share(hot, fresh, share, n, own)
        drawn = np.where(own.random(count) < share, own.choice(hot, count), own.choice(others, count))
    else:
        measured, drawn = fresh[:n], own.choice(np.concatenate([hot, others]), count)
    cut = count - p.warmup_requests
    return Asked(drawn[:cut], drawn[cut:], measured)
