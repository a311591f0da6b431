"""One run from its plan to its last trial: checked first, resumed where it stopped, stored as it goes."""

import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from typing import Any

from benchbook import files, mishaps, project, provenance, store
from benchbook.errors import MachineError
from benchbook.experiments.manifest import Chapter
from benchbook.experiments.mistakes import Named
from benchbook.model import Plan, Run, Trial
from benchbook.runner.canary import Canary, canary
from benchbook.runner.expected import expected
from benchbook.runner.growth import Growth, growth, is_alone, units
from benchbook.runner.lock import host_lock
from benchbook.runner.progress import Progress, time_left
from benchbook.runner.queue import Place
from benchbook.store import Entry, HeldError, RunWriter, answers

SAME = (*answers.HERE, "direct_io", "pinned")
"""What must not have changed between the parts of one run."""
_APART_S = 2.0
"""Two that took the same blocks and let go of them try again at moments up to so far apart."""


def run(
    experiment: Chapter,
    parameters: Any,
    *,
    profile: str,
    progress: Progress | None = None,
    fresh: bool = False,
    wait: bool = True,
    more: int | None = None,
) -> Run:
    """Measure ``parameters`` and return the stored run; an interrupted run of the same parameters is completed.

    fresh: start anew even so. wait: for another measurement on this machine, else refuse. more: so many further blocks
    of the plan of which runs are stored, as a run of their own.
    Raises BenchbookError before anything starts when the machine lacks what is needed, or there is nothing that blocks
    can be added to, and MachineError when a part of the measurement dies or a disk fills up; what was measured until
    then is stored.
    """
    told = progress or Progress()
    experiment.needs(parameters).check()
    with host_lock(told, wait=wait) as place, mishaps.disk_told(), ExitStack() as until_the_end:
        grown = Growth(0, parameters.blocks) if more is None else growth(experiment, parameters, more)
        stored = made_here(experiment, parameters) if more is None and not fresh else None
        if stored is not None:
            told.say(f"run {stored.id} has just been measured")
            return store.read_run(stored.folder, published=False)
        foreseen = expected(experiment, parameters, more=more, fresh=fresh)
        if foreseen.seconds is not None:
            told.say(f"{experiment.name}: {foreseen}")
        place.expect(foreseen.seconds)
        code = provenance.code(say=told.say)
        told.prepare("preparing", 0.0)
        with experiment.session(parameters, told.prepare) as session:
            where = provenance.host(files.scratch())
            now = where | code | session.provenance()
            if grown.first_block:
                _check_whole(experiment, parameters, now)
            if getattr(parameters, "direct_io", False) and now.get("direct_io") is False:
                told.say(_without_direct_io(now))
            writer = until_the_end.enter_context(_open(experiment, parameters, grown, profile, now, told, fresh=fresh))
            told.opened(writer.folder.name)
            blocks = writer.record["blocks"]
            plan = experiment.plan(parameters, first_block=writer.record["first_block"], blocks=blocks)
            begun = {name: now.get(name) for name in (*SAME, "commit", "dirty")}
            number = writer.begin_session(begun | {"trials_planned": len(plan.trials)})
            with canary(files.scratch()) as bird:
                _measure(session, plan, writer, number, told, place, bird)
        folder = writer.finish(now)
    return store.read_run(folder, published=False)


def _check_whole(experiment: Chapter, parameters: Any, now: dict[str, Any]) -> None:
    """Raise MachineError where blocks would be added that lack what the stored ones have: no number could use both."""
    key = parameters.key(experiment.name, experiment.version)
    before = [entry.provenance.get("left_out") or {} for entry in store.complete(experiment.name, key, published=None)]
    for name, why in (now.get("left_out") or {}).items():
        if why and any(not each.get(name) for each in before):
            raise MachineError(
                f"the stored blocks have {name}, which is left out here: {why}", "get it, then add blocks"
            )


def _without_direct_io(now: dict[str, Any]) -> str:
    """What a run that asked for direct I/O does without; the trials' certificates say the same of each."""
    if now.get("filesystem") in files.IN_MEMORY:
        consequence = "that lies in memory, so no trial can be certified cold"
    else:
        consequence = "the page cache is evicted before each trial instead"
    where = f"{now.get('engine')} {now.get('engine_version')} on {now.get('filesystem')}"
    return f"no direct I/O with {where}: {consequence}; each trial is labelled by what the caches then held"


def made_here(experiment: Chapter, parameters: Any) -> Entry | None:
    """The newest run of these parameters and this version, completed with this engine on this machine.

    None also while one that they began anew is unfinished. Raises MachineError when the engine is missing or unusable.
    """
    key, now = parameters.key(experiment.name, experiment.version), measured_now(experiment, parameters)
    if store.find_begun_anew(experiment.name, key, now):
        return None
    found = reversed(store.complete(experiment.name, key, published=False))
    return next((entry for entry in found if answers.agree(entry.provenance, now, answers.HERE)), None)


def measured_now(experiment: Chapter, parameters: Any) -> dict[str, Any]:
    """Machine and engine, as a run that begins now would record them."""
    return provenance.machine() | dict(experiment.needs(parameters).engine())


def passed_over(experiment: Chapter, parameters: Any) -> str:
    """That an attempt which another engine or machine left unfinished does not count; "" without one."""
    key = parameters.key(experiment.name, experiment.version)
    entry = store.find_passed_over(experiment.name, key, measured_now(experiment, parameters))
    return f"run {entry.id} stays unfinished: another engine or machine began it" if entry else ""


def _open(
    experiment: Chapter,
    parameters: Any,
    grown: Growth,
    profile: str,
    now: dict[str, Any],
    told: Progress,
    *,
    fresh: bool,
) -> RunWriter:
    """The run to write to: the interrupted one, else a new one, whose blocks nobody else measures."""
    while True:
        writer = None if fresh else _resumed(experiment, parameters, grown, now, told)
        if writer is not None:
            return writer
        record = {
            "key": parameters.key(experiment.name, experiment.version),
            "experiment": experiment.name,
            "measurement_version": experiment.version,
            "parameters": parameters.model_dump(mode="json"),
            "profile": profile,
            "seed": parameters.seed,
            "blocks": grown.blocks,
            "first_block": grown.first_block,
            "provenance": now,
        }
        writer = RunWriter.create(project.runs(), record)
        if not grown.first_block or is_alone(writer.record):
            return writer
        writer.withdraw()
        time.sleep(random.uniform(0, _APART_S))
        grown = growth(experiment, parameters, grown.blocks)


def _resumed(
    experiment: Chapter, parameters: Any, grown: Growth, now: dict[str, Any], told: Progress
) -> RunWriter | None:
    key = parameters.key(experiment.name, experiment.version)
    # In this order one that is taken between the two looks is told of: below, or when it cannot be resumed.
    entry = store.find_unfinished(experiment.name, key, grown=grown.first_block > 0)
    for other in store.find_being_measured(experiment.name, key, grown=grown.first_block > 0):
        since = other.measured_since
        if since is not None and (entry is None or other.id != entry.id):
            told.say(f"run {other.id} is being measured elsewhere, since {since}: it is left alone")
    if entry is None or entry.record is None or not grown.same_as(entry.record):
        return None
    before = entry.record["sessions"][0] if entry.record["sessions"] else {}
    changed = [name for name in SAME if name in before and before[name] != now.get(name)]
    if changed:
        told.say(f"run {entry.id} stays unfinished: {', '.join(changed)} changed since it began; starting a new one")
        return None
    try:
        writer = RunWriter.resume(entry.folder)
    except HeldError as held:  # another process took it at this moment
        told.say(f"{held.problem}: starting a new one")
        return None
    told.say(f"resuming run {entry.id}")
    return writer


def _measure(
    session: Named, plan: Plan, writer: RunWriter, number: int, told: Progress, place: Place, bird: Canary
) -> None:
    done = writer.done
    remaining = [trial for trial in plan.trials if trial.index not in done]
    turns = hasattr(session, "side_by_side")
    together = units(remaining, turns=turns)
    seconds: dict[str, list[float]] = defaultdict(list)
    past = 0
    for at, unit in enumerate(together):
        first = unit[0]
        left = time_left([trial.configuration.name for trial in remaining[past:]], seconds)
        stored = len(plan.trials) - len(remaining) + past
        tell = partial(_tell, told, place, stored, len(plan.trials), first.configuration.name, left)
        tell()
        writer.add_canary(bird.look(first.block, "before", first.index))
        clock = time.monotonic()
        found: Iterable[Trial] = map(session.measure, unit)
        if turns and first.configuration.group:
            found = session.side_by_side(unit, partial(_between, tell, bird), told.say)
        for trial in found:
            writer.append(trial, number)
        took = time.monotonic() - clock
        for planned in unit:
            seconds[planned.configuration.name].append(took / len(unit))
        glanced = bird.glanced(first.block, first.index)
        if glanced is not None:
            writer.add_canary(glanced)
        if at + 1 == len(together) or together[at + 1][0].block != first.block:
            writer.add_canary(bird.look(first.block, "after", unit[-1].index))
        past += len(unit)
    _tell(told, place, len(plan.trials), len(plan.trials), "done", 0.0)


def _tell(told: Progress, place: Place, done: int, total: int, name: str, left_s: float | None) -> None:
    """Also in the queue; before the first trial of a run that says what was estimated."""
    if left_s is not None:
        place.expect(left_s)
    told.trial(done, total, name, left_s)


def _between(tell: Callable[[], None], bird: Canary) -> None:
    """Within a group, which takes minutes: how far the run is, and its end where the user wants that."""
    tell()
    bird.glance()
