"""Why a notebook's kernel ended unasked: few files may be open, memory ran out, or a signal came."""

import errno
import os
import resource
import signal

from benchbook import mishaps
from benchbook.errors import MachineError

FEW_FILES = 256
"""A kernel and what talks to it need some dozens of files, sockets among them, and a chapter's code more."""
_TOO_MANY = (errno.EMFILE, errno.ENFILE)
_RAISE = "raise the limit, for example with `ulimit -n 4096`, and repeat the command"


def few_files() -> MachineError | None:
    """That this process may open too few files for a notebook; None where it may open enough."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY or limit >= FEW_FILES:
        return None
    return MachineError(f"only {limit} files may be open at once, too few for a notebook's kernel", _RAISE)


def of_kernel(status: int | None, error: BaseException) -> MachineError | None:
    """What the machine has to do with it; None where the notebook itself is to be fixed.

    status: of the kernel's process, an exit code or minus the number of a signal; None of one that still ran. error:
    what was raised by whoever talked to it.
    """
    refused = getattr(error, "errno", None) in _TOO_MANY or os.strerror(errno.EMFILE) in str(error)
    few = few_files() if refused or status is not None else None
    if few or refused:
        return few or MachineError("too many files are open", _RAISE)
    if status is None or status >= 0:
        return None
    how = "ended"
    mend = "repeat the command; a signal that comes again is a mistake of a library or of the machine: report it"
    if -status == signal.SIGKILL:
        how, mend = "killed", "free memory, since the system kills programs when it runs out, and repeat the command"
    return MachineError(f"its kernel was {how} by signal {-status} ({mishaps.signal_name(-status)})", mend)
