"""A chapter's numbers on several machines, and as one: a random-effects meta-analysis of what each of them gave."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchbook import store
from benchbook.errors import BenchbookError
from benchbook.experiments import chosen_runs
from benchbook.experiments.host_kinds import processor
from benchbook.experiments.shape.manifest import Chapter
from benchbook.model import Estimate, Run
from benchbook.reuse import foreign
from benchbook.reuse.estimates import Found, common_scale, estimates
from benchbook.statistics import laws
from benchbook.statistics.machines import Combined, combined
from benchbook.store.answers import MACHINE


@dataclass(frozen=True)
class Together:
    """One number. each: machine to its own number. combined: on the number's scale, logs where it is a ratio."""

    name: str
    claims: tuple[str, ...]
    scale: str
    each: dict[str, Estimate]
    combined: Combined

    def back(self, value: float) -> float:
        """From the scale of the combination to the number's own."""
        return math.exp(value) if self.scale == "ratio" else value


def runs(module: Chapter) -> list[Run]:
    """The published runs, those made here, and the foreign ones of the present version of the measurement, in parts.

    Raises StoredRunError for a damaged one.
    """
    found: dict[str, Run] = {}
    for whole in (chosen_runs.run(module), chosen_runs.own_run(module)):
        found |= {part.id: part for part in (store.parts(whole) if whole is not None else ())}
    for entry in foreign.entries(module.name):
        run = store.read_run(entry.folder, published=False)
        if run.measurement_version == module.version:
            found.setdefault(run.id, run)
    return list(found.values())


def machines(parts: Iterable[Run]) -> dict[str, Run]:
    """The runs of each machine, pooled: by its id where it has one, else by its processor.

    Runs that differ in their parameters are not pooled: of a machine the plan with the most blocks counts.
    """
    by_machine: dict[str, dict[str, list[Run]]] = {}
    for run in parts:
        known = run.provenance.get(MACHINE)
        name = f"{processor(run.provenance)}{f', machine {str(known)[:6]}' if known else ''}"
        by_machine.setdefault(name, {}).setdefault(repr(sorted(run.parameters.items())), []).append(run)
    largest = {name: max(plans.values(), key=_blocks) for name, plans in by_machine.items()}
    return {name: store.pooled(own) for name, own in largest.items()}


def _blocks(own: Iterable[Run]) -> int:
    return sum(run.blocks for run in own)


def combine(module: Chapter, by_machine: Mapping[str, Run]) -> list[Together]:
    """Every number that two machines or more have, combined; raises BenchbookError where there is none."""
    known: dict[str, dict[str, Found]] = {}
    for machine, run in by_machine.items():
        for found in estimates(module, module.summarize(run)):
            if found.estimate.low < found.estimate.high:
                known.setdefault(found.name, {})[machine] = found
    made = [_together(name, each) for name, each in known.items() if len(each) > 1]
    if not made:
        raise BenchbookError(
            f"{module.name} has no number on two machines", "add a run of another one: `benchbook add FILE`"
        )
    return made


def _together(name: str, each: Mapping[str, Found]) -> Together:
    every = list(each.values())
    scale = common_scale(*every)
    on = math.log if scale == "ratio" else float
    errors = [_error(found.estimate, scale) for found in every]
    whole = combined([on(found.estimate.point) for found in every], errors)
    own = {machine: found.estimate for machine, found in each.items()}
    return Together(name, every[0].claims, scale, own, whole)


def _error(estimate: Estimate, scale: str) -> float:
    """The standard error that an interval stands for, on the scale: its half over Student's quantile."""
    on = math.log if scale == "ratio" else float
    reach = laws.student_quantile((1 + estimate.confidence) / 2, max(1, estimate.n - 1))
    return (on(estimate.high) - on(estimate.low)) / 2 / reach
