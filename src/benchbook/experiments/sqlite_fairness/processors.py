"""The same comparison on each kind of host that a pooled run was measured on, and what may set them apart."""

from __future__ import annotations

from functools import partial

from benchbook.experiments.shape.processors import on_each
from benchbook.experiments.shape.telling import tell
from benchbook.experiments.sqlite_fairness.answers import sizes_together
from benchbook.experiments.sqlite_fairness.arms import AFTER, ONCE, ONCE_WARM, WARM, at
from benchbook.experiments.sqlite_fairness.summary import TIME, Summary
from benchbook.figures import Prose


def told(summary: Summary) -> Prose:
    """The comparison, and the price of locking, on each kind of host."""
    each = (partial(said, summary) for said in (speedups, locking))
    return tell(*each, otherwise="All blocks of this run were measured on one kind of host.")


def speedups(summary: Summary) -> str:
    """How much faster the engine is than SQLite prepared once, over all sizes, on each kind of host."""
    sqlite, engine = (sizes_together(summary, use) for use in (ONCE, AFTER))
    each = on_each(summary, sqlite, engine, "{ratio} times as fast on {name} ({blocks} blocks)")
    return f"It depends on the host: over four sizes, the engine compared with SQLite prepared once is {each}."


def _kernels(summary: Summary) -> str:
    """Whether the kinds of host ran one build of the kernel."""
    named: dict[str, dict[str, None]] = {}
    for part in summary.run.parts:
        kernels = named.setdefault(str(part.provenance.get("processor", "")), {})
        kernels[str(part.provenance.get("system", "an unknown kernel"))] = None
    if len({tuple(kernels) for kernels in named.values()}) == 1:
        return f"all ran {', '.join(next(iter(named.values())))}"
    each = "; ".join(f"{', '.join(kernels)} on {name}" for name, kernels in named.items())
    return f"the kernels differed ({each})"


def locking(summary: Summary) -> str:
    """What locking at each look-up costs, on each kind of host."""
    once, held = (summary.values(arm, TIME) for arm in (ONCE_WARM, at(WARM, "read_held")))
    each = on_each(summary, once, held, "{ratio} times as long on {name}")
    return (
        "In autocommit SQLite asks the kernel for a lock and gives it back at each look-up; in a read transaction that "
        f"is held it does not. A warm look-up in autocommit takes {each}, which suggests that these calls cost more on "
        f"one than on the other. They were not timed by themselves, and {_kernels(summary)}. Hypervisor and "
        "protections against faults of the processor count too, so these are kinds of host, and no cause is shown."
    )
