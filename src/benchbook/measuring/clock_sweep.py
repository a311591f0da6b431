"""Pages that pgbench makes a buffer pool of a given size allocate: clock sweep, simulated.

PostgreSQL fills free places first. Then a hand goes round, takes one off every usage count above zero, and evicts the
first page that has none; a page that is used has its count raised, to five at most (src/backend/storage/buffer).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random

HIGHEST_COUNT = 5
ROWS_PER_SCALE = 100_000
ROWS_PER_PAGE, KEYS_PER_PAGE = 61, 366
"""Of pgbench_accounts and of a leaf of its primary key, filled to 90 %, as pgbench -i leaves them."""


@dataclass(frozen=True)
class Load:
    """What one transaction asks of the pool: one random page of the table and one random leaf of its index.

    row_uses, leaf_uses: by how much one transaction raises the usage count of each. others: pages never seen before,
    per transaction, such as those of the history. All other pages of TPC-B are so few that they always stay.
    """

    scale: int
    transactions: int
    row_uses: int = 2
    leaf_uses: int = 2
    others: float = 0.0


@cache
def allocated(load: Load, pages: int, *, warm: bool, one_in: int, seed: int) -> int:
    """Pages allocated during the load in a pool of so many pages.

    warm: whether the pool is full of the same kind of pages when the count begins; otherwise it is empty. one_in: pool,
    table, index and transactions are all smaller by this factor, and the count is scaled up again: what a uniform
    load does to a pool depends on their proportions alone.
    """
    rows = load.scale * ROWS_PER_SCALE
    table, leaves, places = (max(1, int(each / one_in)) for each in (rows / ROWS_PER_PAGE, rows / KEYS_PER_PAGE, pages))
    pool, draw = Pool(places), Random(seed).random
    # A pool that holds everything can never be filled; it starts with everything in it.
    for page in range(table + leaves) if warm and places >= table + leaves else ():
        pool.use(page, 1)
    while warm and len(pool.where) < min(places, table + leaves):
        pool.use(int(draw() * table), load.row_uses)
        pool.use(table + int(draw() * leaves), load.leaf_uses)
    before, unseen, owed = pool.count, table + leaves, 0.0
    for _ in range(load.transactions // one_in):
        pool.use(table + int(draw() * leaves), load.leaf_uses)
        pool.use(int(draw() * table), load.row_uses)
        owed += load.others
        if owed >= 1:
            owed, unseen = owed - 1, unseen + 1
            pool.use(unseen, 1)
    return (pool.count - before) * one_in


class Pool:
    """Places with a page and a usage count each. where: place of each page. count: allocations so far."""

    def __init__(self, places: int) -> None:
        self.places, self.hand, self.count = places, 0, 0
        self.where: dict[int, int] = {}
        self.pages, self.counts = [-1] * places, [0] * places

    def use(self, page: int, uses: int) -> None:
        """Raise the page's usage count; allocate a place for it first where it has none."""
        place = self.where.get(page)
        if place is not None:
            self.counts[place] = min(HIGHEST_COUNT, self.counts[place] + uses)
            return
        self.count += 1
        place = len(self.where) if len(self.where) < self.places else self._evict()
        self.where[page], self.pages[place], self.counts[place] = place, page, min(HIGHEST_COUNT, uses)

    def _evict(self) -> int:
        counts, hand = self.counts, self.hand
        while counts[hand]:
            counts[hand] -= 1
            hand = hand + 1 if hand + 1 < self.places else 0
        self.hand = hand + 1 if hand + 1 < self.places else 0
        del self.where[self.pages[hand]]
        return hand
