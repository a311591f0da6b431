"""What runs made here say beside the published ones; nothing is measured."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchbook import lab, project
from benchbook.book.assembly.chapter_plan import Shown
from benchbook.book.records import inputs
from benchbook.book.records.own_runs import OWN_FILE, OWNS, Own, compared
from benchbook.experiments import chosen_runs
from benchbook.experiments.manifest import Chapter
from benchbook.model import Run, Verdict
from benchbook.parameters.kinds import Kind
from benchbook.store import Entry

LAST = "own.key.json"
"""In the folder of the built book: what was compared last, and the key of all that it rests on."""


def of_runs(root: Path, profile: str | None = None) -> list[Own]:
    """Every chapter of the book that has a run made here, beside its published run if it has one.

    profile: as in ``chosen_runs.own``. What was found last is kept and given again while nothing changes that verdicts
    rest on. Raises StoredRunError for a damaged run.
    """
    stored = {module.name: chosen_runs.complete(module) for module in measured_chapters(root)}
    pairs = [
        (module, chosen_runs.entry(module, stored[module.name]), here)
        for module in measured_chapters(root)
        if (here := chosen_runs.own(module, profile, among=stored[module.name])) is not None
    ]
    key, last = _key(root, pairs), root / "_build" / LAST
    kept = inputs.read_json(last)
    if kept.get("key") == key:
        return OWNS.validate_python(kept["chapters"])
    found = [_own(*pair, profile, stored[pair[0].name]) for pair in pairs]
    inputs.write_json(last, {"key": key, "chapters": OWNS.dump_python(found)})
    return found


def write(root: Path, shown: Shown, found: list[Own]) -> None:
    """Put the record where the book's pages read it; an edition has nothing of this machine in it."""
    content = {"shown": shown.kind, "chapters": OWNS.dump_python(found)}
    inputs.write_json(root / "book" / "chapters" / OWN_FILE, content)


def measured_chapters(root: Path) -> Iterator[Chapter]:
    """The experiments of the book's chapters that have runs, by name."""
    known = lab.names()
    for name in [path.stem for path in project.of_chapters(root)]:
        module = lab.experiment(name) if name in known else None
        if module is not None and module.kind is not Kind.ANALYSIS:
            yield module


def _verdicts(module: Chapter, run: Run | None) -> list[Verdict]:
    every: Any = module  # judge takes the module's own kind of summary
    found: list[Verdict] = every.judge(every.summarize(run)) if run is not None else []
    return found


def _own(module: Chapter, public: Entry | None, here: Entry, profile: str | None, stored: list[Entry]) -> Own:
    mine, theirs = here.record or {}, (public.record if public else None) or {}
    run = chosen_runs.own_run(module, profile, stored)
    before, after = theirs.get("parameters", {}), mine["parameters"]
    own = Own(
        module.name, public.id if public else "", here.id, mine["profile"], run.blocks if run else mine["blocks"],
        mine["finished_at"], tuple(name for name in before if name != "seed" and before[name] != after.get(name)),
    )  # fmt: skip
    if public is None:
        return own
    numbers = compared(_verdicts(module, chosen_runs.run(module, stored)), _verdicts(module, run), decides=own.decides)
    return replace(own, numbers=numbers)


def _key(root: Path, pairs: list[tuple[Chapter, Entry | None, Entry]]) -> str:
    runs = [[entry.id, (entry.record or {})["files"]] for _, *both in pairs for entry in both if entry is not None]
    stored = inputs.tree(root, ("runs/*/*/run.json", "data/published/*/*/run.json"))  # others are pooled with them
    return inputs.key({**inputs.of_verdicts(root), "runs": runs, "stored": stored, "here": inputs.quiet(local=True)})
