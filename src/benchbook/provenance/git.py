"""Questions to git about one clone: it answers, there is no clone, or git refuses, and these are never mixed up."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchbook.errors import BenchbookError, shortened

_WAIT_S = 120
_LONGEST = 500
"""Characters of git's words."""
_SETTINGS = (
    # Programs that a clone's own configuration could have git start.
    "core.fsmonitor=",
    "core.hooksPath=/dev/null",
    "log.showSignature=false",
    # What the user's configuration could change in the answers.
    "log.diffMerges=separate",
    "log.follow=false",
)
_FILTERS = b"filter."
"""Beginning of the settings that name programs through which files pass."""


class GitError(BenchbookError):
    """Git says nothing of a folder."""

    kept = "git was not asked"
    """Why, without the name of a folder, as a record may hold it."""


class NoCloneError(GitError):
    """The folder is no clone, or a part of another one: no commit of that is the project's."""

    kept = "the folder of the project is not a git clone"


class GitRefusedError(GitError):
    """There is a clone, and git does not answer; the problem holds its own words."""

    kept = "git refused to answer"


class OtherCodeError(GitError):
    """There is a clone, and the package that runs is no part of it."""

    kept = "the code that ran is not that of the clone"


@dataclass(frozen=True)
class Clone:
    """A clone whose top level is a project's root. settings: what git is told before each question."""

    root: Path
    settings: tuple[str, ...] = _SETTINGS

    def ask(self, *arguments: str, given: bytes = b"") -> bytes:
        """What git writes; given: for its standard input. Raises GitRefusedError."""
        told = [part for setting in self.settings for part in ("-c", setting)]
        return _called(self.root, *told, *arguments, given=given)

    def content(self, revision: str) -> bytes | None:
        """Of an object such as ``HEAD:README.md``; None where the clone has no such object."""
        header, _, rest = self.ask("cat-file", "--batch", given=os.fsencode(f"{revision}\n")).partition(b"\n")
        *_, size = header.split()
        return rest[: int(size)] if size.isdigit() else None

    def head(self) -> str:
        """The commit that is checked out; "" where nothing is committed yet."""
        found = self.ask("cat-file", "--batch-check", given=b"HEAD\n").split()
        return found[0].decode() if found[1] == b"commit" else ""

    def whole(self) -> bool:
        """Whether it has its history from the first commit on."""
        return self.ask("rev-parse", "--is-shallow-repository").strip() == b"false"


def clone(root: Path) -> Clone:
    """The clone whose top level this folder is.

    What lies around it does not count, nor do the caller's own ``GIT_*`` variables. Raises NoCloneError, and
    GitRefusedError where there is a clone and git is missing, fails, or does not trust the folder's owner.
    """
    root = root.resolve()
    if not os.path.lexists(root / ".git"):
        raise NoCloneError("this is not a git clone", "work in a clone of the repository")
    top = Path(os.fsdecode(_called(root, "rev-parse", "--show-toplevel").removesuffix(b"\n")))
    if top.resolve() != root:
        raise NoCloneError(f"this is not a git clone, but lies in that at {top}", "work in a clone of its own")
    names = _called(root, "config", "--list", "--name-only", "--null").split(b"\0")
    filters = sorted({os.fsdecode(name) for name in names if name.startswith(_FILTERS)})
    if any("=" in name for name in filters):  # it could not be switched off
        raise GitRefusedError(f"the configuration of {root} names a filter with a = in it", "remove that filter")
    return Clone(root, (*_SETTINGS, *(f"{name}=" for name in filters)))


def _called(root: Path, *arguments: str, given: bytes = b"") -> bytes:
    """Git in a folder, which takes no lock and asks no other machine for what a partial clone lacks."""
    command = ["git", "--no-replace-objects", "--no-optional-locks", "-C", str(root), *arguments]
    # Without those that would have it answer for another repository.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    variables = kept | {"GIT_ALLOW_PROTOCOL": "none"}
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=_WAIT_S, check=False, env=variables)
    except FileNotFoundError:
        raise GitRefusedError(
            f"{root} is a git clone, but git is not installed", "install git, for example with `apt-get install git`"
        ) from None
    except OSError as error:
        raise GitRefusedError(f"git cannot be started: {error.strerror}", "make it run, then repeat this") from None
    except subprocess.TimeoutExpired:
        raise GitRefusedError(f"git did not answer within {_WAIT_S} s", "check what it waits for") from None
    if done.returncode != 0:
        words = done.stderr.decode("utf-8", "replace")
        if "promisor" in words:
            raise GitRefusedError(
                f"{root} is a partial clone, which lacks a part of its history; none is fetched unasked",
                "git fetch --refetch --no-filter origin, then repeat the command",
            )
        said = shortened(" ".join(words.split()), _LONGEST) or f"it ended with {done.returncode}"
        raise GitRefusedError(f"git says nothing of {root}: {said}", _mend(words))
    return done.stdout


def _mend(words: str) -> str:
    """Git's own advice on a folder of another owner, or to look at its words."""
    lines = (line.strip() for line in words.splitlines())
    advice = next((line for line in lines if line.startswith("git config") and "safe.directory" in line), None)
    if advice is None:
        return "mend what git names, then repeat the command"
    return f"if you trust the owner of that folder: {advice}"
