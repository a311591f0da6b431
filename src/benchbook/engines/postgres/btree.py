"""Which leaf page of a B-tree index holds a key, read off the index's own inner pages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchbook.engines.postgres.counters import Connection
from benchbook.errors import BenchbookError


@dataclass(frozen=True)
class LeafMap:
    """separators: dtype S64, ascending, the lowest key of each leaf but the first. leaves: their block numbers."""

    separators: np.ndarray
    leaves: np.ndarray

    def leaf_of(self, keys: np.ndarray) -> np.ndarray:
        """Block number of the leaf on which each key (dtype S64) is or would be; int64."""
        return self.leaves[np.searchsorted(self.separators, keys, side="right")]


def leaf_map(connection: Connection, index: str) -> LeafMap:
    """Read the inner pages of a unique index on one char(64) column under the C collation (needs pageinspect)."""
    root = connection.execute("SELECT root, level FROM bt_metap(%s)", (index,)).fetchone()
    if root is None:
        raise BenchbookError(f"{index} is no B-tree", "name a primary-key index")
    blocks, level = [int(root[0])], int(root[1])
    separators: list[bytes] = []
    while level > 0:
        children: list[int] = []
        bounds: list[bytes] = []
        for block in blocks:
            page_bounds, page_children = _downlinks(connection, index, block)
            if children:
                # The page's own first downlink has no key: its lower bound is the parent's separator.
                bounds.append(separators[blocks.index(block) - 1])
            bounds += page_bounds
            children += page_children
        blocks, separators, level = children, bounds, level - 1
    return LeafMap(np.array(separators, dtype="S64"), np.array(blocks, dtype=np.int64))


def _downlinks(connection: Connection, index: str, block: int) -> tuple[list[bytes], list[int]]:
    rightmost = connection.execute("SELECT btpo_next = 0 FROM bt_page_stats(%s, %s)", (index, block)).fetchone()
    rows = connection.execute(
        "SELECT (ctid::text::point)[0]::bigint, data FROM bt_page_items(%s, %s) ORDER BY itemoffset", (index, block)
    ).fetchall()
    if rightmost is not None and not rightmost[0]:
        rows = rows[1:]  # the high key
    keys = [bytes.fromhex(data.replace(" ", ""))[1:65] for _, data in rows[1:]]
    return keys, [int(child) for child, _ in rows]
