"""Whether each stored run is as it was measured; nothing is shown of one that is not, and the error names it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchbook import project, provenance, store
from benchbook.book.records import figure_list, run_catalogue
from benchbook.errors import StoredRunError

_MEND = (
    "restore published runs with `git checkout -- data/published`, from an older commit where a change was committed; "
    "restore others from a copy, or move their folders away and measure again"
)
_EXPLAINED = 5


def check(root: Path, *, published_only: bool) -> None:
    """Look at every file of every run that a book shows or lists.

    published_only: it is an edition, which has nothing of this machine. Raises StoredRunError that names each run whose
    record or tables are not as they were sealed, or, in a clone, not as they were first committed. Where there is a
    clone and git refuses to answer, that is said on standard error.
    """
    entries = run_catalogue.listed(published_only=published_only)
    damaged = _damaged(entries)
    folder = project.published().relative_to(root).as_posix()
    introduced = provenance.introduced(root, folder)
    if (no := introduced.refusal) is not None:
        provenance.on_stderr(f"not compared with the commits that added the published runs: {no.problem}; {no.mend}")
    for entry in entries:
        altered = introduced.altered(entry.folder.relative_to(root).as_posix()) if entry.published else []
        if altered and entry.id not in damaged:
            damaged[entry.id] = f"{', '.join(Path(name).name for name in altered)} is not what was first committed"
    if damaged:
        raise _error(root, damaged, "the book would show")


def check_behind(root: Path, figure: Mapping[str, Any], figures: Iterable[Mapping[str, Any]]) -> None:
    """Look at every file of the runs behind a figure; raises StoredRunError that names each damaged one.

    figures: all figures of the book, whose runs stand behind a figure of the book itself. Of a run that is no longer
    stored nothing is said.
    """
    shown = [figure] if figure_list.in_chapter(figure) else figures
    behind = [run for each in shown for run in figure_list.behind(each)]
    wanted = {(run["experiment"], run["run_id"], run["published"]) for run in behind}
    entries = [
        entry
        for experiment in sorted({experiment for experiment, _, _ in wanted})
        for entry in store.catalogue(experiment)
        if (experiment, entry.id, entry.published) in wanted
    ]
    if damaged := _damaged(entries):
        raise _error(root, damaged, f"the figure {figure['id']} shows")


def _damaged(entries: Iterable[store.Entry]) -> dict[str, str]:
    return {each.id: each.damage for each in map(store.checked, entries) if each.record is None}


def _error(root: Path, damaged: Mapping[str, str], shown: str) -> StoredRunError:
    """All names first: a long message is cut in its middle."""
    names = sorted(damaged)
    lines = [f"{name}: {damaged[name]}".replace(f"{root}/", "") for name in names[:_EXPLAINED]]
    if len(names) > _EXPLAINED:
        lines.append("`benchbook verify` reports the others")
    count = "a run that is" if len(names) == 1 else f"{len(names)} runs that are"
    return StoredRunError("\n".join([f"{shown} {count} not as measured, {', '.join(names)}", *lines]), _MEND)
