"""One experiment with the parameters that the user asked for: checked, then answered by a stored or a new run."""

from dataclasses import dataclass
from typing import Any

from benchbook import lab, runner, store
from benchbook.cli import mixed_hosts
from benchbook.cli.progress import RunProgress
from benchbook.errors import NoEngineError, NoStoredRunError
from benchbook.experiments.manifest import Chapter
from benchbook.interruption import interruptible
from benchbook.model import Run
from benchbook.parameters.base import AnalysisParameters, ExperimentParameters
from benchbook.runner import growth
from benchbook.runner.expected import Expected, expected


@dataclass(frozen=True)
class Recomputed:
    """A chapter of the notes' own numbers with the parameters asked for: there is nothing to measure or store."""

    name: str
    parameters: AnalysisParameters

    def check(self) -> None:
        """It needs nothing but the files of the project."""

    def missing_engine(self) -> NoEngineError | None:
        return None

    def record(self) -> dict[str, Any]:
        return {"experiment": self.name, "run": None, "trials": 0, "blocks": 0, "minutes": 0.0, "disk_bytes": 0}

    def foreseen(self) -> str:
        return f"{self.name}: nothing is measured; its notebook is executed"


@dataclass
class Asked:
    """How it is to be answered, and the answer once it is there.

    fresh: no stored run counts. stored: only a stored run counts, a published one too. Neither: a run counts that this
    code has completed on this machine. more: so many blocks are added to the stored ones. another_host: also on
    another kind of host than theirs. mixes: which hosts they are then of, in a sentence, where that is new. measured:
    the run was measured just now.
    """

    module: Chapter
    parameters: ExperimentParameters
    fresh: bool = False
    stored: bool = False
    more: int | None = None
    another_host: bool = False
    mixes: str = ""
    run: Run | None = None
    measured: bool = False

    @property
    def name(self) -> str:
        return self.module.name

    @property
    def key(self) -> str:
        """What a stored run must equal to be the answer."""
        return self.parameters.key(self.name, self.module.version)

    def missing_engine(self) -> NoEngineError | None:
        """Why this cannot be measured here though a published run can be shown; None otherwise."""
        return None if self.stored else lab.shown_as_published(self.module, self.parameters)

    def check(self) -> None:
        """Look for a stored run that counts; without one, raise BenchbookError when this machine cannot measure it.

        Raises NoStoredRunError when only a stored run counts and there is none.
        """
        if self.stored:
            self.run = lab.find(self.module, self.parameters)
            if self.run is None:
                raise NoStoredRunError(self._no_stored_run(), "leave out --stored to measure it")
        elif self.more is not None:
            growth.growth(self.module, self.parameters, self.more)
            self.mixes = mixed_hosts.added(self.module, self.parameters, self.more, allowed=self.another_host)
        elif not self.fresh:
            self.run = lab.made_here(self.module, self.parameters)
        if self.run is None:
            self.module.needs(self.parameters).check()

    def foreseen(self) -> str:
        """After ``check``: the stored run that counts, or what would be measured, with time and disk where known."""
        if self.run is not None:
            return f"{self.name}: nothing is measured; {self.run.id} has these parameters"
        its = self._expected()
        reached = its.needs.reached and f"reached {its.needs.reached}"
        further = "".join(f"\n{each}" for each in (reached, self.mixes) if each)
        return f"{self.name}: {its.trials} trials in {its.blocks} blocks; {its}{further}"

    def record(self) -> dict[str, Any]:
        """The same for a program; run: the stored one that counts, else what would be measured."""
        if self.run is not None:
            nothing = {"trials": 0, "blocks": 0, "minutes": 0.0, "disk_bytes": 0}
            return {"experiment": self.name, "run": self.run.id, **nothing}
        its = self._expected()
        return {
            "experiment": self.name, "run": None, "trials": its.trials, "blocks": its.blocks,
            "minutes": None if its.seconds is None else its.seconds / 60, "disk_bytes": its.needs.disk_bytes,
            **({"reached": its.needs.reached} if its.needs.reached else {}),
        }  # fmt: skip

    def _no_stored_run(self) -> str:
        """What is missing: any run of these parameters, or one of the engine that is used here."""
        other = store.find_complete(self.name, self.key)
        if other is None or other.record is None:
            return f"no stored run of {self.name} has these parameters"
        here = store.engine_in_words(self.module.needs(self.parameters).engine())
        there = store.engine_in_words(other.record["provenance"])
        return f"run {other.id} has these parameters, but is of {there}, and the engine here is {here}"

    def obtain(self, progress: RunProgress, *, wait: bool) -> Run:
        """The stored run that ``check`` found, else a new one; Ctrl-C says what is stored and how to go on."""
        if self.run is not None and not self.stored:
            left = runner.passed_over(self.module, self.parameters)
            if left:
                progress.say(left)
        if self.run is None:
            if self.mixes:
                progress.say(self.mixes)
            try:
                with interruptible() as came, progress.shown():
                    progress.stop_when(came)
                    self.run = lab.obtain(
                        self.module, self.parameters, progress, anew=True, fresh=self.fresh, wait=wait, more=self.more
                    )
            except KeyboardInterrupt as stopped:
                remains = getattr(stopped, "__notes__", [])
                raise KeyboardInterrupt("\n".join([self._stopped(progress.run), *remains])) from None
            self.measured = progress.measured
        return self.run

    def _stopped(self, run: str | None) -> str:
        """run: which one this process wrote to; None where it did not come so far."""
        if run is None:
            entry = store.find_unfinished(self.name, self.key, grown=self.more is not None)
        else:
            mine = (each for each in store.catalogue(self.name) if each.id == run and not each.published)
            entry = next(mine, None)
        if entry is not None and entry.record and entry.record["state"] == "complete":
            return f"stopped: run {entry.id} is complete"
        if entry is None or not entry.trials_stored:
            what = self.name if self.more is None else f"the blocks that are added to {self.name}"
            return f"stopped: no trial of {what} is stored yet; the same command starts again"
        again = "the same command"
        if self.fresh and store.find_begun_anew(self.name, self.key) is None:
            again += " without --fresh"
        return f"stopped: {entry.trials_stored} of {self._trials()} trials of {entry.id} are stored; {again} resumes it"

    def _expected(self) -> Expected:
        return expected(self.module, self.parameters, more=self.more, fresh=self.fresh)

    def _trials(self) -> int:
        return len(self.module.plan(self.parameters, blocks=self.more).trials)
