"""What all figures of the book stand on: machines, days, engines, blocks and trials."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes

from benchbook.book.records import figure_list
from benchbook.book.records.figure_list import has_engine

NONE = "No figure of this book is based on a measured run yet."


def measured(records: Iterable[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Chapter to the facts of the runs that its figures show, the oldest first; one without an engine is left out."""
    own = [each for each in records if each["run"] and not each.get("lacks")]
    return {each["chapter"]: [*each["run"]["pooled_with"], each["run"]] for each in own if has_engine(each["run"])}


def sentence(runs: Iterable[Mapping[str, Any]]) -> str:
    """On what the measured chapters stand, in one sentence."""
    found = list(runs)
    if not found:
        return NONE
    days = sorted(run["measured"][:10] for run in found)
    hosts = sorted({run["host"] for run in found})
    machines = "one kind of host" if len(hosts) == 1 else f"{len(hosts)} kinds of host"
    when = f"on {days[0]}" if days[0] == days[-1] else f"from {days[0]} to {days[-1]}"
    runs_said = "One run stands" if len(found) == 1 else f"{len(found)} runs stand"
    trials, minutes = (sum(run[name] for run in found) for name in ("trials", "minutes"))
    return (
        f"{runs_said} behind the measured chapters: {trials:,} trials, {minutes:,.0f} minutes in all, "
        f"on {machines} ({'; '.join(hosts)}), {when}."
    )


def shown(root: Path) -> list[nodes.Node]:
    """The sentence on what the measured chapters of the book as it is built stand on."""
    found = measured(figure_list.records(root))
    return [nodes.paragraph("", sentence(run for runs in found.values() for run in runs))]
