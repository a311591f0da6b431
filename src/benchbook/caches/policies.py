"""What two engines keep in their caches: PostgreSQL's clock sweep, and ristretto's TinyLFU, which Badger uses."""

import random
from collections.abc import Sequence

HIGHEST = 5
"""Of a buffer's usage count in PostgreSQL (BM_MAX_USAGE_COUNT)."""
CANDIDATES = 5
"""Entries among which ristretto looks for the one that is asked for least."""
COUNTERS = 8
"""Frequencies that Badger lets ristretto count, for each entry that the cache holds; at so many they are halved."""


def clock_sweep(keys: Sequence[int], places: int, skip: int = 0) -> float:
    """Hit ratio of a buffer pool. keys: whole numbers from 0; skip: references that are not counted.

    Free places are filled first. Then a hand goes round, takes one off every count above 0, and evicts the first page
    without one. Source: src/backend/storage/buffer/freelist.c.
    """
    where: dict[int, int] = {}
    pages, counts = [-1] * places, [0] * places
    hand = hits = 0
    for number, key in enumerate(keys):
        place = where.get(key)
        if place is not None:
            if counts[place] < HIGHEST:
                counts[place] += 1
            hits += number >= skip
            continue
        if len(where) < places:
            place = len(where)
        else:
            while counts[hand]:
                counts[hand] -= 1
                hand = hand + 1 if hand + 1 < places else 0
            place = hand
            hand = hand + 1 if hand + 1 < places else 0
            del where[pages[place]]
        where[key], pages[place], counts[place] = place, key, 1
    return hits / max(1, len(keys) - skip)


def tinylfu(keys: Sequence[int], places: int, skip: int = 0) -> float:
    """Hit ratio of ristretto with entries that cost the same; it counts each key exactly and not by a sketch.

    A key that was never seen since the counts were halved is remembered first (doorkeeper). A new one is let in while
    there is room; then only if it was asked for as often as the least of five entries drawn at random, which goes.
    Source: github.com/dgraph-io/ristretto, policy.go and sketch.go.
    """
    draw = random.Random(0)
    counts: dict[int, int] = {}
    door: set[int] = set()
    held: list[int] = []
    where: dict[int, int] = {}
    asked = hits = 0
    most = COUNTERS * places
    for number, key in enumerate(keys):
        if key in door:
            if (count := counts.get(key, 0)) < 15:
                counts[key] = count + 1
        else:
            door.add(key)
        asked += 1
        if asked >= most:
            asked = 0
            door.clear()
            counts = {each: count // 2 for each, count in counts.items() if count > 1}
        if key in where:
            hits += number >= skip
            continue
        if len(held) < places:
            where[key] = len(held)
            held.append(key)
            continue
        candidates = [held[draw.randrange(places)] for _ in range(CANDIDATES)]
        least = min(candidates, key=lambda each: counts.get(each, 0) + (each in door))
        if counts.get(key, 0) + (key in door) < counts.get(least, 0) + (least in door):
            continue
        place = where.pop(least)
        held[place], where[key] = key, place
    return hits / max(1, len(keys) - skip)
