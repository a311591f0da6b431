"""Estimands that need more than one ratio: growth with the rows, what a part's removal saves, spread of processes."""

from __future__ import annotations

import numpy as np

from benchbook import statistics
from benchbook.experiments.alex_rocksdb.arms import (
    LOOP,
    NO_ENGINE,
    NO_INDEX,
    NOTHING,
    PARTS,
    grown,
    sized,
)
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.shape.estimands import complement
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate


def smallest(summary: Summary) -> str:
    """The configuration with the parts timed at the fewest rows."""
    return sized(summary.parameters, summary.parameters.small_rows)


def engine_share_of_growth(summary: Summary, confidence: float) -> Estimate:
    """RocksDB's part of what a query takes longer at the most rows than at the fewest.

    Growth is a difference, so what reading the clock costs is in neither number.
    """
    small = smallest(summary)
    engine, query = (
        summary.values(PARTS, f"{part}_net_ns") - summary.values(small, f"{part}_net_ns")
        for part in ("engine", "query")
    )
    if query.min() <= 0:
        raise NotEstimableError(
            "in one block the query took no longer with the most rows than with the fewest, so there is no growth to "
            "divide",
            "raise rows or blocks",
        )
    return statistics.arithmetic_mean(engine / query, confidence=confidence, sessions=summary.sessions)


def index_against_engine(summary: Summary, confidence: float, kind: str = "mean") -> Estimate:
    """Growth of ALEX's time over that of RocksDB's, within the same queries. kind: "net" without the clock's cost."""
    small = smallest(summary)
    factors = [
        summary.positive(PARTS, f"{part}_{kind}_ns") / summary.positive(small, f"{part}_{kind}_ns")
        for part in ("index", "engine")
    ]
    return statistics.ratio(*factors, confidence=confidence, sessions=summary.sessions)


def alone_growth(summary: Summary, index: str) -> np.ndarray:
    """How many times as long a look-up in an index alone takes at the most rows as at the fewest, per block."""
    p = summary.parameters
    most, fewest = (summary.positive(grown(index, rows), "mean_ns") for rows in (p.rows, p.small_rows))
    found: np.ndarray = most / fewest
    return found


def note_tree_against_btree(summary: Summary, confidence: float) -> Estimate:
    """Growth of the note's multi-level tree over that of a B-tree with the same keys, each alone."""
    tree, btree = (alone_growth(summary, index) for index in ("note_levels", "btree"))
    return statistics.ratio(tree, btree, confidence=confidence, sessions=summary.sessions)


def removed(summary: Summary, arm: str, confidence: float) -> Estimate:
    """1 - without / with: the share of a query's time that disappears with a part, paired within blocks."""
    return complement(summary.ratio((arm, "mean_ns"), (LOOP, "mean_ns"), confidence=confidence))


def additivity(summary: Summary, confidence: float = 0.95) -> Estimate:
    """What the parts take one by one, over the query that has both; 1 when they neither hide nor hinder each other.

    Each trial without a part still holds the loop, so the loop is taken off once.
    """
    parts = summary.values(NO_ENGINE, "mean_ns") + summary.values(NO_INDEX, "mean_ns")
    one_by_one, both = parts - summary.values(NOTHING, "mean_ns"), summary.values(LOOP, "mean_ns")
    return statistics.ratio(one_by_one, both, confidence=confidence, sessions=summary.sessions)


def between_processes(summary: Summary, confidence: float) -> Estimate:
    """Coefficient of variation of the mean query time between fresh processes of one configuration.

    One process of each block counts: the A/A pair's two share the block's moment and are no two witnesses of it.
    """
    return statistics.sd_interval(summary.positive(LOOP, "mean_ns"), confidence)
