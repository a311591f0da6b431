"""What a notebook calls: its parameters checked, and the run that answers them, stored or measured."""

import glob
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchbook import runner, store
from benchbook.durations import duration
from benchbook.errors import BenchbookError, NoEngineError, NoStoredRunError, StoredRunError
from benchbook.experiments import chosen_runs, papermill_plugin
from benchbook.experiments.catalogue import analyses, experiment, leading, names
from benchbook.experiments.manifest import Chapter
from benchbook.figures import Figure
from benchbook.model import Run
from benchbook.parameters.base import ExperimentParameters
from benchbook.runner import Progress

if TYPE_CHECKING:
    from benchbook.caches.curve import Point
    from benchbook.own_numbers.diagnosis import Finding
    from benchbook.own_numbers.report import Answer

__all__ = [
    "analyses", "diagnose", "experiment", "figures", "find", "judge", "leading", "made_here", "names", "obtain",
    "parameters", "size",
]  # fmt: skip

Named = str | Iterable[str | Path]
SOURCE, MEASURE = "BENCHBOOK_SOURCE", "BENCHBOOK_MEASURE"
_PUBLIC = {"any": None, "local": False, "published": True}
"""What SOURCE may be, and which runs it means; None: both."""


def parameters(module: Chapter, namespace: Mapping[str, Any]) -> Any:
    """The parameters that a notebook's variables give, checked.

    namespace: ``globals()`` of the notebook. Whatever has a parameter's name in it counts, every plain value under
    another name, None too, and every name that papermill injected, even if an import took its place since or IPython
    has one like it: what the experiment does not know is refused here instead of being ignored.
    """
    visible = {
        name: value
        for name, value in namespace.items()
        if name in module.Parameters.model_fields
        or (not name.startswith("_") and name not in {"In", "Out"} and _is_plain(value))
    }
    return module.Parameters.given(papermill_plugin.assigned() | visible)


def _is_plain(value: Any) -> bool:
    """Whether it is what a file of parameters can hold; a chapter's figures and verdicts are not."""
    if isinstance(value, dict):
        return all(map(_is_plain, (*value, *value.values())))
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str)


def obtain(
    module: Chapter,
    wanted: ExperimentParameters,
    progress: Progress | None = None,
    *,
    anew: bool = False,
    fresh: bool = False,
    wait: bool = True,
    more: int | None = None,
) -> Run:
    """The run that answers ``wanted``: the newest stored one with these parameters, else measured now.

    anew: measured now, unless it was completed on this machine already. fresh: measured now in any case; a fresh run
    that was interrupted is completed. wait: for another measurement on this machine to end, else refuse. more:
    so many blocks are measured now and added to the stored ones; the answer is all of them, pooled.
    ``BENCHBOOK_SOURCE=local|published`` restricts where to look; ``BENCHBOOK_MEASURE=never``, which the book's
    build sets, raises NoStoredRunError instead of measuring.
    """
    # The runner itself looks for one that was made here.
    stored = None if fresh or anew or more is not None else find(module, wanted)
    if stored is not None:
        return stored
    name = module.name
    if os.environ.get(MEASURE) == "never":
        raise NoStoredRunError(
            f"no stored run of {name} has these parameters, and {MEASURE}=never forbids measuring",
            f"run `benchbook run {name}` with them first, or unset {MEASURE}",
        )
    now = runner.measured_now(module, wanted) if fresh else None
    begun = store.find_begun_anew(name, wanted.key(name, module.version), now)
    run = runner.run(
        module,
        wanted,
        profile=profile_of(module, wanted),
        progress=progress or NotebookProgress(),
        fresh=fresh and begun is None,
        wait=wait,
        more=more,
    )
    return run if more is None else find(module, wanted) or run


def find(module: Chapter, wanted: ExperimentParameters) -> Run | None:
    """The stored runs with these parameters, pooled, or None: of a run that is published the published ones.

    Only runs of the engine that would be measured here count: another version or build answers another question. Where
    the engine is not there, and while the book is built, which shows what is stored, any engine's do. Raises
    StoredRunError when a run is damaged, and when there is only one whose record cannot be read.
    """
    source = os.environ.get(SOURCE, "any")
    if source not in _PUBLIC:
        raise BenchbookError(f"{SOURCE}={source} is unknown", "set it to any, local or published")
    key = wanted.key(module.name, module.version)
    engine = None if os.environ.get(MEASURE) == "never" else _engine(module, wanted)
    run = chosen_runs.pooled(module, key, public=_PUBLIC[source], engine=engine)
    if run is None:
        _refuse_damaged(module, key, published=_PUBLIC[source])
    return run


def made_here(module: Chapter, wanted: ExperimentParameters) -> Run | None:
    """The runs of these parameters that this machine has completed, pooled; None unless this engine made the newest.

    Raises StoredRunError as ``find`` does, MachineError when the engine is missing or unusable.
    """
    key = wanted.key(module.name, module.version)
    entry = runner.made_here(module, wanted)
    if entry is not None and entry.record is not None:
        return chosen_runs.pooled(module, key, public=False, engine=entry.record["provenance"])
    _refuse_damaged(module, key, published=False)
    return None


def _engine(module: Chapter, wanted: ExperimentParameters) -> Mapping[str, Any] | None:
    """Which engine would be measured; None where it is not there."""
    try:
        engine: Mapping[str, Any] = module.needs(wanted).engine()
        return engine
    except NoEngineError:
        return None


def _refuse_damaged(module: Chapter, key: str, *, published: bool | None) -> None:
    damaged = store.find_damaged(module.name, key, published=published)
    if damaged is not None:
        raise StoredRunError(
            f"run {damaged.id} is damaged: {damaged.damage}",
            "restore it from git or a copy, or move its folder away to measure again",
        )


def figures(module: Chapter, summary: Any) -> dict[str, Figure]:
    """The chapter's figures of a run by their short names.

    A figure of which the run measured nothing is shown of a published run that did, and names it: of the one that
    stands for the chapter, or else of one with other parameters.
    """
    every: Any = module  # figures takes the module's own kind of summary
    found: dict[str, Figure] = every.figures(summary)
    runs = chosen_runs.by_parameters(module) if any(figure.lacks for figure in found.values()) else ()
    for run in runs:
        empty = [name for name, figure in found.items() if figure.lacks and figure.run_id == summary.run.id]
        if not empty:
            break
        if run.id != summary.run.id:
            shown: dict[str, Figure] = every.figures(every.summarize(run))
            found |= {name: shown[name].instead_of(found[name]) for name in empty if not shown[name].lacks}
    return found


def judge(first: Named, against: Named = (), **how: Any) -> "Answer":
    """Numbers of other tools, one side's files against the other's, as ``benchbook judge`` does.

    first, against: files, or a pattern of their names such as "new-*.log"; of a table ``against`` may be the other
    configuration. how: as ``own_numbers.report.answer`` takes it, such as ``claim=">1.1"``. Raises BenchbookError as
    that does.
    """
    from benchbook.own_numbers import report  # late: what measures needs none of it

    return report.answer([*map(Path, _named(first))], _named(against), **how)


def diagnose(files: Named) -> "list[Finding]":
    """What the counters in files say and forbid, as ``benchbook diagnose`` does. files: as for ``judge``."""
    from benchbook.own_numbers import diagnosis
    from benchbook.own_numbers.files import text

    return diagnosis.of_text("\n".join(text(Path(each)) for each in _named(files)))


def _named(given: Named) -> list[str]:
    """The files that a pattern names, or the pattern itself where it names none."""
    return sorted(glob.glob(given)) or [given] if isinstance(given, str) else [*map(str, given)]  # noqa: PTH207


def size(trace: str | Path, sizes: Sequence[float], policy: str = "lru", **how: Any) -> "list[Point]":
    """The hit ratio of a cache at each size, as ``benchbook size`` gives it. how: as ``caches.curve.curve``."""
    from benchbook.caches import curve
    from benchbook.caches import trace as traces

    return curve.curve(traces.read(Path(trace), limit=curve.EXACT), sizes, policy, **how)


def shown_as_published(module: Chapter, wanted: ExperimentParameters) -> NoEngineError | None:
    """Why a chapter shows its published run whatever was asked for: its engine is missing here, and no run answers.

    None when the engine is there, a stored run has these parameters, or nothing is published.
    """
    missing = module.needs(wanted).missing_engine()
    if missing is None or find(module, wanted) is not None:
        return None
    return missing if chosen_runs.published(module) else None


def profile_of(module: Chapter, wanted: ExperimentParameters) -> str:
    """Name of the profile that these parameters are, or "custom"."""
    from benchbook.parameters.profiles import CUSTOM, PROFILES, profile

    for name in PROFILES:
        if module.Parameters.given(profile(module.name, name)) == wanted:
            return name
    return CUSTOM


class NotebookProgress(Progress):
    """One line per tenth of the run on standard error: enough in a notebook, harmless in a log."""

    def __init__(self) -> None:
        self._shown = -1

    def say(self, text: str) -> None:
        """Print it."""
        sys.stderr.write(f"{text}\n")

    def trial(self, done: int, total: int, name: str, left_s: float | None) -> None:
        """A line per tenth."""
        if done * 10 // total > self._shown:
            self._shown = done * 10 // total
            left = "" if left_s is None else f", about {duration(left_s)} left"
            sys.stderr.write(f"{done} of {total} trials stored{left}\n")
