"""How long a measurement will take, and how much disk: from what was measured before, else as it was estimated."""

from dataclasses import dataclass
from typing import Any

from benchbook import store
from benchbook.durations import duration
from benchbook.experiments import chosen_runs
from benchbook.experiments.manifest import Chapter
from benchbook.parameters import wording
from benchbook.parameters.needs import Needs

_FEW = 3
"""Parameters in which a run may differ whose trials tell how long others will take."""


@dataclass(frozen=True)
class Expected:
    """needs: of these blocks. seconds: of measuring; None where nothing tells. why: what tells it, in words."""

    blocks: int
    trials: int
    needs: Needs
    seconds: float | None
    why: str

    def __str__(self) -> str:
        disk = f"up to {self.needs.disk_bytes / 1e9:.1f} GB of disk"
        if self.seconds is None:
            return f"it takes {disk}; how long is not known before it was measured once"
        return f"about {duration(self.seconds)} of measuring{self.why}, and {disk}"


def expected(experiment: Chapter, parameters: Any, *, more: int | None = None, fresh: bool = False) -> Expected:
    """By the newest complete run that differs in blocks and seed at most, by the estimate, or by the nearest run.

    more: so many further blocks are measured instead of those of the parameters. fresh: anew. What of it an
    interrupted run has stored is taken off.
    """
    blocks = more or parameters.blocks
    needs = experiment.needs(parameters.model_copy(update={"blocks": blocks}))
    trials = len(experiment.plan(parameters, blocks=more).trials)
    seconds, why = _as_before(experiment, parameters, blocks), " after loading, as in an earlier run"
    if seconds is None and needs.minutes is not None:
        seconds, why = 60 * needs.minutes, ""
    if seconds is None and (found := _as_nearest(experiment, parameters)) is not None:
        seconds, why = found[0] * trials, f" if a trial takes as long as with {found[1]}"
    if seconds is not None:
        seconds *= 1.0 - _stored(experiment, parameters, grown=more is not None, fresh=fresh) / trials
    return Expected(blocks, trials, needs, seconds, why)


def _as_before(experiment: Chapter, parameters: Any, blocks: int) -> float | None:
    mine = wording.shape(parameters.model_dump(mode="json"))
    for entry in reversed(store.catalogue(experiment.name)):
        record = entry.record
        if record and record["state"] == "complete" and wording.shape(record["parameters"]) == mine:
            return _measured_s(entry) / int(record["blocks"]) * blocks
    return None


def _as_nearest(experiment: Chapter, parameters: Any) -> tuple[float, str] | None:
    """Seconds of a trial in the run that differs in fewest parameters, and these values; None without one."""
    mine = wording.shape(parameters.model_dump(mode="json"))
    found: list[tuple[int, int, store.Entry, list[str]]] = []
    for entry in reversed(chosen_runs.complete(experiment)):
        values = (entry.record or {})["parameters"]
        apart = [f"{name}={wording.value(values.get(name))}" for name in mine if values.get(name) != mine[name]]
        if len(apart) <= _FEW:
            found.append((len(apart), len(found), entry, apart))
    if not found:
        return None
    _, _, entry, apart = min(found)
    record = entry.record or {}
    trials = experiment.plan(experiment.Parameters.given(record["parameters"]), blocks=record["blocks"]).trials
    return _measured_s(entry) / len(trials), ", ".join(apart)


def _measured_s(entry: store.Entry) -> float:
    """Seconds of measuring of a complete run."""
    return store.stored_measuring_s(entry.folder) or float((entry.record or {})["duration_s"])


def _stored(experiment: Chapter, parameters: Any, *, grown: bool, fresh: bool) -> int:
    """Trials of the unfinished run that would be completed."""
    key = parameters.key(experiment.name, experiment.version)
    if fresh:
        begun = store.find_begun_anew(experiment.name, key)
    else:
        begun = store.find_unfinished(experiment.name, key, grown=grown)
    return 0 if begun is None else begun.trials_stored
