"""What a pooled figure rests on, in words; nothing but the words is loaded here."""

from collections.abc import Iterable, Mapping
from typing import Any


def sentence(pool: Mapping[str, Any]) -> str:
    """Such as "12 blocks in 4 visits, on AMD EPYC with 2 cores, measured by the code of 3 commits"."""
    return f"{blocks(pool)}, on {hosts(pool)}, measured by the code of {many(len(pool['commits']), 'commit')}"


def blocks(pool: Mapping[str, Any]) -> str:
    """Such as "12 blocks in 4 visits"."""
    return f"{many(pool['blocks'], 'block')} in {many(pool['visits'], 'visit')}"


def hosts(pool: Mapping[str, Any]) -> str:
    """Such as "AMD EPYC with 2 cores"; of several kinds each with its blocks."""
    found = pool["hosts"]
    if len(found) == 1:
        return str(found[0]["name"])
    listed = listing(f"{each['name']} ({many(each['blocks'], 'block')})" for each in found)
    return f"{len(found)} kinds of host, {listed}"


def listing(words: Iterable[str]) -> str:
    """Such as "a, b and c"."""
    found = [*words]
    return f"{', '.join(found[:-1])} and {found[-1]}" if len(found) > 1 else "".join(found)


def many(number: int, noun: str) -> str:
    """Such as "12 blocks" or "1 block"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
