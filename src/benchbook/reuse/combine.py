"""A chapter's numbers on several machines, and as one: a random-effects meta-analysis of what each of them gave."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from benchbook import store
from benchbook.errors import BenchbookError, StoredRunError, check_known
from benchbook.experiments import chosen_runs
from benchbook.experiments.manifest import Chapter
from benchbook.figures import theme
from benchbook.model import FEWEST, Estimate, Run
from benchbook.numbers.host_kinds import processor
from benchbook.parameters import profiles, wording
from benchbook.reuse import foreign, scales
from benchbook.reuse.estimates import Found, estimates
from benchbook.reuse.scales import Scale
from benchbook.statistics import laws
from benchbook.statistics.machines import Combined, combined
from benchbook.store.answers import MACHINE

COMBINED, FURTHER = "combined", "a further machine"


@dataclass(frozen=True)
class Together:
    """One number. each: machine to its own number. combined: on the number's scale, such as logs of a ratio."""

    name: str
    claims: tuple[str, ...]
    scale: Scale
    each: dict[str, Estimate]
    combined: Combined

    def back(self, value: float) -> float:
        """From the scale of the combination to the number's own."""
        return self.scale.back(value)


def gathered(module: Chapter, settings: Mapping[str, Any]) -> tuple[dict[str, Run], dict[str, str]]:
    """The published runs, those made here and the foreign ones that asked one question, pooled by machine.

    Beside them each run that does not count, by its id, with why in half a sentence.

    settings: parameters to ask for in place of those of the published run, or of the standard profile where none is
    published. Of a machine the plan with the most blocks counts, and of equal tables one run. Raises StoredRunError
    where a run of one's own is damaged, BenchbookError for a parameter that the chapter does not have.
    """
    published = chosen_runs.run(module)
    usual = published.parameters if published else profiles.profile(module.name, profiles.STANDARD)
    wanted = module.Parameters.given({**usual, **settings}).model_dump(mode="json")
    left_out: dict[str, str] = {}
    kept: dict[str, Run] = {}
    for run in _runs(module, published, left_out):
        if other := wording.differing(wording.shape(run.parameters), wording.shape(wanted)):
            left_out[run.id] = ", ".join(other)
        elif (same := _content(run)) in kept:
            left_out[run.id] = f"its trials are those of run {kept[same].id}"
        else:
            kept[same] = run
    return _by_machine(kept.values(), left_out), left_out


def _runs(module: Chapter, published: Run | None, left_out: dict[str, str]) -> list[Run]:
    """Of the present version of the measurement, published ones first, each as it was stored."""
    found: dict[str, Run] = {}
    for whole in (published, *_own(module)):
        found |= {part.id: part for part in (store.parts(whole) if whole is not None else ()) if part.id not in found}
    for entry in foreign.entries(module.name):
        try:
            run = foreign.read(entry)
        except StoredRunError as error:
            left_out[entry.id] = f"foreign: {error.problem}"
            continue
        if run.measurement_version != module.version:
            left_out[run.id] = f"foreign: of version {run.measurement_version} of the measurement"
        elif run.id not in found:
            found[run.id] = run
        elif _content(run) != _content(found[run.id]):
            left_out[f"{run.id}, foreign"] = "another run has its id"
    return list(found.values())


def _content(run: Run) -> str:
    """SHA-256 of what the trials of one run gave, whatever else its record says: equal for two copies of it."""
    trials = run.trials
    kept = trials[sorted(name for name in map(str, trials) if name not in ("started_at", "session", "seed", "trial"))]
    return sha256(pd.util.hash_pandas_object(kept.round(12), index=False).to_numpy().tobytes()).hexdigest()


def _own(module: Chapter) -> Iterable[Run | None]:
    """Those made here, of whatever parameters, plan by plan."""
    every = chosen_runs.complete(module)
    public = {each.id for each in every if each.published}
    keys = dict.fromkeys(str((e.record or {})["key"]) for e in every if not e.published and e.id not in public)
    return (chosen_runs.pooled(module, key, public=False, but=public, among=every) for key in keys)


def _by_machine(runs: Iterable[Run], left_out: dict[str, str]) -> dict[str, Run]:
    """The runs of each machine, pooled: by its id where it has one, else by its processor."""
    by_machine: dict[str, dict[str, list[Run]]] = {}
    for run in runs:
        known = run.provenance.get(MACHINE)
        name = f"{processor(run.provenance)}{f', machine {str(known)[:6]}' if known else ''}"
        by_machine.setdefault(name, {}).setdefault(repr(sorted(run.parameters.items())), []).append(run)
    found = {}
    for name, plans in by_machine.items():
        largest = max(plans.values(), key=lambda own: sum(run.blocks for run in own))
        for run in (run for own in plans.values() if own is not largest for run in own):
            left_out[run.id] = "its machine has a plan of more blocks"
        if sum(run.blocks for run in largest) < FEWEST:
            left_out |= {run.id: f"fewer than {FEWEST} blocks have no interval" for run in largest}
            continue
        marks = {run.foreign for run in largest}
        mark = "" if marks == {False} else " (foreign)" if marks == {True} else " (partly foreign)"
        found[f"{name}{mark}"] = store.pooled(largest)
    return found


def combine(module: Chapter, by_machine: Mapping[str, Run]) -> list[Together]:
    """Every number that two machines or more have, combined; raises BenchbookError where there is none."""
    known: dict[str, dict[str, Found]] = {}
    for machine, run in by_machine.items():
        for found in estimates(module, module.summarize(run)):
            if found.estimate.low < found.estimate.high and not (found.time or found.estimate.bare):
                known.setdefault(found.name, {})[machine] = found
    made = [together for name, each in known.items() if (together := _together(name, each)) is not None]
    if not made:
        raise BenchbookError(
            f"{module.name} has no number on two machines", "add a run of another one: `benchbook add FILE`"
        )
    return made


def _together(name: str, each: Mapping[str, Found]) -> Together | None:
    """None where the scale has a place for fewer than two machines: a share of 0 or 1 has none among logits."""
    scale = scales.of(*(found.estimate for found in each.values()))
    own = {machine: found.estimate for machine, found in each.items() if _has_place(found.estimate, scale)}
    if len(own) < 2:
        return None
    whole = combined([scale.on(estimate.point) for estimate in own.values()], [_error(e, scale) for e in own.values()])
    return Together(name, next(iter(each.values())).claims, scale, own, whole)


def _has_place(estimate: Estimate, scale: Scale) -> bool:
    return math.isfinite(scale.on(estimate.point)) and 0 < scales.half(estimate, scale) < math.inf


def _error(estimate: Estimate, scale: Scale) -> float:
    """The standard error that an interval stands for, on the scale: its half over Student's quantile."""
    reach = laws.student_quantile((1 + estimate.confidence) / 2, max(1, estimate.n - 1))
    return scales.half(estimate, scale) / reach


def named(found: Sequence[Together], name: str) -> Together:
    """The number of this name; raises BenchbookError, with those that two machines have."""
    known = {each.name: each for each in found}
    check_known("no two machines have a number", name, known)
    return known[name]


def drawing(number: Together) -> go.Figure:
    """Machines from the top, then the combined number, then the prediction where there is one."""
    whole = number.combined
    rows = {name: (own.point, own.low, own.high) for name, own in number.each.items()}
    middle, low, high = (number.back(value) for value in (whole.point, whole.low, whole.high))
    plot = theme.apply(go.Figure())
    for name, each, symbol in (
        ("each machine", rows, "circle"),
        (COMBINED, {COMBINED: (middle, low, high)}, "diamond"),
    ):
        points, lows, highs = (list(column) for column in zip(*each.values(), strict=True))
        plot.add_scatter(
            x=points, y=list(each), error_x=theme.error_bars(points, lows, highs), mode="markers", name=name,
            marker={"symbol": symbol, "size": 10 if name == COMBINED else 7},
        )  # fmt: skip
    if whole.predicted is not None:
        ends = [number.back(end) for end in whole.predicted]
        plot.add_scatter(x=ends, y=[FURTHER, FURTHER], mode="lines", name=FURTHER)
    order = [*rows, COMBINED, *([FURTHER] if whole.predicted is not None else [])]
    plot.update_yaxes(categoryorder="array", categoryarray=order[::-1])
    if number.scale == "ratio":
        plot.update_xaxes(type="log")
        plot.add_vline(x=1, line_dash="dot")
    plot.update_layout(xaxis_title=number.name, height=140 + 40 * len(order), showlegend=False)
    return plot
