"""The runs on which a figure rests, of one or of several that are pooled: blocks, visits, time, hosts and commits."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchbook import lab, store
from benchbook.book.records.run_facts import RunFacts
from benchbook.experiments import chosen_runs
from benchbook.numbers import host_kinds
from benchbook.store import Entry

UNKNOWN = "not recorded"
"""In the place of a commit that a run does not name."""


def entries() -> dict[str, Entry]:
    """The runs whose record can be read, by their ids."""
    return {entry.id: entry for entry in store.catalogue() if entry.record is not None}


def pool(entry: Entry) -> list[Entry]:
    """The runs that stand for a chapter with this one, oldest first; alone where its experiment is no longer known."""
    record = entry.record or {}
    if record["experiment"] not in lab.names():
        return [entry]
    found = chosen_runs.pool(lab.experiment(record["experiment"]), record["key"], public=entry.published)
    return found if entry.id in {each.id for each in found} else [entry]


def of(pool: Sequence[Entry], facts: Sequence[RunFacts]) -> dict[str, Any]:
    """The record, as plain JSON. pool: the runs, the oldest first. facts: of the same, in the same order.

    A visit in which two hosts or commits measured counts for both, so that only blocks add up.
    """
    parts = [*zip(pool, facts, store.stored_visits(pool), strict=True)]
    kinds = [host_kinds.processor(each.provenance) for each in pool]
    names = dict(zip(kinds, (host_kinds.host(each.provenance) for each in pool), strict=True))
    shared = len({*names.values()}) < len(names)
    of_kinds = {kind: _counted(part for part, own in zip(parts, kinds, strict=True) if own == kind) for kind in names}
    hosts = [{"name": kind if shared else name, **of_kinds[kind]} for kind, name in names.items()]
    commits = [
        {"commit": commit, **_counted(part for part in parts if (part[1].commit or UNKNOWN) == commit)}
        for commit in dict.fromkeys(each.commit or UNKNOWN for each in facts)
    ]
    return {
        **_counted(parts),
        "trials": sum(each.trials for each in facts),
        "minutes": round(sum(each.minutes for each in facts), 1),
        "started": min(str((each.record or {})["started_at"]) for each in pool),
        "finished": max(each.measured for each in facts),
        "hosts": hosts,
        "commits": commits,
        "visits_of": {entry.id: [*dict.fromkeys(own)] for entry, _, own in parts},
    }


def _counted(parts: Iterable[tuple[Entry, RunFacts, Sequence[int]]]) -> dict[str, Any]:
    found = [*parts]
    return {
        "blocks": sum(facts.blocks for _, facts, _ in found),
        "visits": len({number for _, _, own in found for number in own}),
        "runs": [entry.id for entry, _, _ in found],
    }


def by_host(records: Iterable[Mapping[str, Any]], identity: str) -> list[dict[str, Any]]:
    """The numbers on each kind of host that these verdicts give beside a figure, where the kinds lie apart."""
    return [
        {"claim_id": each["claim_id"], "estimand": each.get("estimand", ""), "hosts": each["hosts"]}
        for each in records
        if each["figure_id"] == identity and each.get("hosts")
    ]
