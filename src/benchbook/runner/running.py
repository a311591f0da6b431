"""One run from its plan to its last trial: checked first, resumed where it stopped, stored as it goes."""

from __future__ import annotations

import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchbook import files, mishaps, project, provenance
from benchbook.model import Plan, Run
from benchbook.runner.canary import look
from benchbook.runner.experiment import Experiment, Session
from benchbook.runner.lock import host_lock
from benchbook.runner.progress import Progress, Quiet
from benchbook.store import Entry, RunWriter, answers, complete, find_begun_anew, find_unfinished, read_run

SAME = (*answers.HERE, "direct_io", "pinned")
"""What must not have changed between the parts of one run."""


def run(
    experiment: Experiment,
    parameters: Any,
    *,
    profile: str,
    progress: Progress | None = None,
    fresh: bool = False,
    wait: bool = True,
) -> Run:
    """Measure ``parameters`` and return the stored run; an interrupted run of the same parameters is completed.

    fresh: start anew even so. wait: for another measurement on this machine, else refuse.
    Raises BenchbookError before anything starts when the machine lacks what is needed, and MachineError when a part
    of the measurement dies or a disk fills up; what was measured until then is stored.
    """
    told = progress or Quiet()
    needs = experiment.needs(parameters)
    needs.check()
    with host_lock(told, wait=wait), mishaps.disk_told():
        stored = None if fresh else made_here(experiment, parameters)
        if stored is not None:
            told.say(f"run {stored.id} has just been measured")
            return read_run(stored.folder, published=False)
        if needs.estimate is not None:
            told.say(f"{experiment.name}: {needs.estimate}")
        told.prepare("preparing", 0.0)
        plan = experiment.plan(parameters)
        with experiment.session(parameters, told.prepare) as session:
            where = provenance.host(files.scratch())
            now = where | provenance.code(_measuring(experiment)) | session.provenance()
            if getattr(parameters, "direct_io", False) and now.get("direct_io") is False:
                told.say(_without_direct_io(now))
            writer = _open(experiment, parameters, plan, profile, now, told, fresh=fresh)
            number = writer.begin_session({name: now.get(name) for name in (*SAME, "commit", "dirty")})
            _measure(session, plan, writer, number, told)
        folder = writer.finish(now)
    return read_run(folder, published=False)


def _measuring(experiment: Experiment) -> list[str]:
    """The modules from which everything that is measured can be reached."""
    return [__name__, *experiment.measuring]


def _without_direct_io(now: dict[str, Any]) -> str:
    """What a run that asked for direct I/O does without; the trials' certificates say the same of each."""
    if now.get("filesystem") in files.IN_MEMORY:
        consequence = "that lies in memory, so no trial can be certified cold"
    else:
        consequence = "the page cache is evicted before each trial instead"
    where = f"{now.get('engine')} {now.get('engine_version')} on {now.get('filesystem')}"
    return f"no direct I/O with {where}: {consequence}; each trial is labelled by what the caches then held"


def made_here(experiment: Experiment, parameters: Any) -> Entry | None:
    """The newest run of these parameters that this very code completed with this engine on this machine.

    None also while one that was begun anew is unfinished. Raises MachineError when the engine is missing or unusable.
    """
    key = parameters.key(experiment.name, experiment.version)
    now = experiment.needs(parameters).engine()
    if find_begun_anew(experiment.name, key):
        return None
    code = {"measurement_sha256": provenance.measurement_sha256(_measuring(experiment))}
    now = provenance.machine() | code | dict(now)
    found = [
        entry
        for entry in complete(experiment.name, key, published=False)
        if entry.record and answers.agree(entry.record["provenance"], now, answers.HERE)
    ]
    return found[-1] if found else None


def _open(
    experiment: Experiment,
    parameters: Any,
    plan: Plan,
    profile: str,
    now: dict[str, Any],
    told: Progress,
    *,
    fresh: bool,
) -> RunWriter:
    key = parameters.key(experiment.name, experiment.version)
    entry = None if fresh else find_unfinished(experiment.name, key)
    if entry is not None and entry.record is not None:
        before = entry.record["sessions"][0] if entry.record["sessions"] else {}
        changed = [name for name in SAME if name in before and before[name] != now.get(name)]
        if not changed:
            told.say(f"resuming run {entry.id}")
            return RunWriter.resume(entry.folder)
        told.say(f"run {entry.id} stays unfinished: {', '.join(changed)} changed since it began; starting a new one")
    record = {
        "key": key,
        "experiment": experiment.name,
        "measurement_version": experiment.version,
        "parameters": parameters.model_dump(mode="json"),
        "profile": profile,
        "seed": parameters.seed,
        "blocks": plan.blocks,
        "provenance": now,
    }
    return RunWriter.create(project.runs(), record)


def _measure(session: Session, plan: Plan, writer: RunWriter, number: int, told: Progress) -> None:
    done = writer.done
    remaining = [trial for trial in plan.trials if trial.index not in done]
    folder: Path = files.scratch()
    seconds: dict[str, list[float]] = defaultdict(list)
    block = None
    for place, planned in enumerate(remaining):
        name = planned.configuration.name
        left = _time_left([trial.configuration.name for trial in remaining[place:]], seconds)
        told.trial(len(plan.trials) - len(remaining) + place, len(plan.trials), name, left)
        if planned.block != block:
            block = planned.block
            writer.add_canary(look(block, "start", folder))
        clock = time.monotonic()
        writer.append(session.measure(planned), number)
        seconds[name].append(time.monotonic() - clock)
        if place + 1 == len(remaining) or remaining[place + 1].block != block:
            writer.add_canary(look(block, "end", folder))
    told.trial(len(plan.trials), len(plan.trials), "done", 0.0)


def _time_left(names: list[str], seconds: dict[str, list[float]]) -> float | None:
    """Expected seconds for the trials named, from those seen; None before the first."""
    seen = [value for values in seconds.values() for value in values]
    if not seen:
        return None
    mean = sum(seen) / len(seen)
    return sum(sum(seconds[name]) / len(seconds[name]) if seconds.get(name) else mean for name in names)
