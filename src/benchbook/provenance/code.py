"""Which code measured: the commit, whether it was changed, and hashes of lock file and ledger."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import benchbook
from benchbook import files, project
from benchbook.provenance import closure, git

_PUBLISHED = Path("data") / "published"


@dataclass(frozen=True)
class Committed:
    """The commit of the code that runs, and whether something of it is in no commit."""

    commit: str | None
    dirty: bool | None
    unknown: str = ""
    """Why there is no commit, in words that name no folder."""

    def recorded(self) -> dict[str, Any]:
        """As a run's record holds it: commit_unknown only where there is no commit."""
        found = {"commit": self.commit, "dirty": self.dirty}
        return found if self.commit else found | {"commit_unknown": self.unknown}


def on_stderr(line: str) -> None:
    """Say it where it disturbs no output."""
    sys.stderr.write(f"{line}\n")


def code(*, but: Path | None = None, say: Callable[[str], object] = on_stderr) -> dict[str, Any]:
    """The code's identity; commit and dirty are None, and commit_unknown says why, where no commit is that of the code.

    but: as in dirty. say: told git's words, and how to mend it, where there is a clone and yet no commit.
    """
    lock = project.root() / "requirements.lock"
    try:
        known = committed(project.root(), but=but)
    except git.GitError as error:
        known = Committed(None, None, error.kept)
        if not isinstance(error, git.NoCloneError):
            say(f"no commit is recorded: {error.problem}; {error.mend}")
    return {
        "benchbook_version": benchbook.__version__,
        **known.recorded(),
        "lock_sha256": files.sha256(lock) if lock.is_file() else None,
        "ledger_sha256": files.sha256(project.ledger()),
    }


def committed(root: Path, *, but: Path | None = None) -> Committed:
    """The commit that is checked out in a clone, and whether the code departs from it; but: as in dirty.

    Raises GitError: NoCloneError, GitRefusedError with git's words, and OtherCodeError where the package that runs is
    not a part of the clone, so that its commit is not that of the code.
    """
    here = git.clone(root)
    package = closure.folder().resolve()
    below = package.relative_to(here.root).as_posix() if package.is_relative_to(here.root) else None
    if below is None or not here.ask("ls-files", "--", f"{below}/__init__.py"):
        raise git.OtherCodeError(
            f"the code that runs lies in {package}, which is no part of the clone {here.root}",
            "set up that clone with `make setup`, and use its own .venv",
        )
    head = here.head()
    return Committed(head, dirty(here, but=but)) if head else Committed(None, None, "nothing is committed yet")


def dirty(here: git.Clone, *, but: Path | None = None) -> bool:
    """Whether a file that git knows is changed, or a module is there that it does not know.

    Published runs and their list do not count: a run that was just published decides nothing that is measured next.
    but: a file below the root whose own changes do not count, since it holds what is being measured.
    """
    left_out = [f":(exclude){name.as_posix()}" for name in (_PUBLISHED, *([but] if but else []))]
    changed = here.ask(
        "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty", "--", ".", *left_out
    )
    return bool(changed or here.ask("ls-files", "--others", "--exclude-standard", "src"))
