"""The runs that stand for a chapter together."""

from benchbook import lab, store
from benchbook.experiments import chosen_runs


def entries() -> dict[str, store.Entry]:
    """The runs whose record can be read, by their ids."""
    return {entry.id: entry for entry in store.catalogue() if entry.record is not None}


def pool(entry: store.Entry) -> list[store.Entry]:
    """The runs that stand for a chapter with this one, oldest first; alone where its experiment is no longer known."""
    record = entry.record or {}
    if record["experiment"] not in lab.names():
        return [entry]
    found = chosen_runs.pool(lab.experiment(record["experiment"]), record["key"], public=entry.published)
    return found if entry.id in {each.id for each in found} else [entry]
