"""Becomes another program that ends when its parent does; run by its path, so it imports almost nothing.

Nothing may be imported after the change of account: the new one may not be able to enter where Python lies.
Arguments: a descriptor for the error number, the parent's process number, the signal for its death, signals to reset,
user and group number ("-" keeps those there are), the program's path,
and its arguments from the zeroth on.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1
SIG_DFL = 0


def main() -> None:
    """Nothing returns: the program runs in this process, or the error's number is written and the process ends."""
    errors, parent, death, resets, user, group, program, *arguments = sys.argv[1:]
    try:
        os.set_inheritable(int(errors), False)  # its end tells the parent that the program runs
        environment, libc = _environment(), ctypes.CDLL(None)
        if user != "-":
            os.setgroups([])
            os.setgid(int(group))
            os.setuid(int(user))
        for number in resets.split(","):  # Python ignores some signals, and the program would go on to
            libc.signal(int(number), SIG_DFL)
        libc.prctl(PR_SET_PDEATHSIG, int(death))  # after the change of account, which would clear it
        if os.getppid() != int(parent):
            os._exit(1)  # the parent died before it could be tied to it
        os.execve(program, arguments, environment)
    except OSError as error:
        os.write(int(errors), str(error.errno).encode())
    os._exit(127)


def _environment() -> dict[bytes, bytes]:
    """The variables as they were given; Python may have added one on its start."""
    with open("/proc/self/environ", "rb") as file:  # noqa: PTH123 - pathlib would double the time that this takes
        given = file.read().split(b"\0")
    return dict(each.split(b"=", 1) for each in given if b"=" in each)


if __name__ == "__main__":
    main()
