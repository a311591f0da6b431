"""The chapters, each found by its name (``experiments.catalogue``).

In a trial, a project of its own about another note, its chapters are loaded as if they stood here.
"""

from benchbook import project
from benchbook.errors import BenchbookError


def _of_trial() -> list[str]:
    try:
        folder = project.chapters()
    except BenchbookError:  # no project at all, which whoever asks for one is told
        return []
    return [str(folder)] if folder.is_dir() else []


__path__ += _of_trial()
