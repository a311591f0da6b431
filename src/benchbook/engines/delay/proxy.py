"""A folder whose socket leads to a server's over a round trip of a chosen length."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from benchbook import mishaps, nofollow, temporary
from benchbook.engines import noexec
from benchbook.engines.delay import certificate, program
from benchbook.engines.delay.certificate import Certificate
from benchbook.errors import BenchbookError, MachineError

LONGEST_MS = 100.0
KIND = "delay"
_LONGEST_PATH = 107
_SOCKETS = "socket"
_SERVERS = ".s.PGSQL.5432"
_LONGEST_NAME = len(f"/{temporary.PREFIX}{KIND}-12345678/{_SOCKETS}/{_SERVERS}")
_ECHO, _ECHO_DELAYED = "echo", "echo-delayed"


class Proxy:
    """A running proxy. folder: give it to libpq as host. certificate: the round trip, measured before first use.

    child: the program, which answers "report" with what passed since it was last asked (probes/delay).
    """

    def __init__(self, folder: Path, child: program.Child, round_trip_ms: float, priority: str) -> None:
        self.folder = folder
        self.priority = priority
        self.child = child
        self.certificate = certificate.certified(
            round_trip_ms, folder / _ECHO, folder / _ECHO_DELAYED, lambda hold_ns: child.answer(f"hold {hold_ns}")
        )
        child.answer("report")  # of the certificate; the next one is the caller's

    def measured(self) -> Certificate:
        """The round trip measured again, as after a trial; whether it is still within what is allowed, it says."""
        held_ns = round(self.certificate.hold_us * 1e3)
        return certificate.measured(
            self.certificate.asked_ms, self.folder / _ECHO, self.folder / _ECHO_DELAYED, held_ns
        )


@contextmanager
def proxied(server: Path, *, round_trip_ms: float) -> Iterator[Proxy]:
    """A proxy to the server's socket in the folder ``server``, with a certificate of the round trip that it adds.

    Clients connect with its ``folder`` as host. Every byte of either direction passes half of the
    trip after it was sent, whatever is under way already; connecting itself takes no trip, what is said afterwards
    does. round_trip_ms: 0 (passed on at once) to 100. As root it runs under the account that has the server's folder,
    and can lead nobody to what that account cannot reach itself. Enter it where the proxy may use any core. All ends
    with the context, and with this process.
    Raises BenchbookError for another round trip, NoEngineError where the program is not built, MachineError when no
    server listens there, when the trip cannot be had here, and when the proxy dies meanwhile.
    """
    target = _checked(server, round_trip_ms)
    with temporary.folder(KIND, _parent(server)) as folder:
        account = _account(server)
        sockets, executable = (folder, program.find()) if account is None else _shared(folder, account)
        echo, delayed, listening = sockets / _ECHO, sockets / _ECHO_DELAYED, sockets / target.name
        doors = [str(path) for path in (listening, target, delayed, echo)]
        with (
            program.serving("the echo", executable, "echo", str(echo), account=account) as answering,
            program.serving(
                "the delaying proxy", executable, "proxy", "0", *doors, account=account, first=True
            ) as child,
        ):
            answering.answer()
            priority = child.answer()["priority"]
            proxy = Proxy(sockets, child, float(round_trip_ms), priority)
            try:
                yield proxy
            except BenchbookError:
                raise
            except Exception as error:
                if died := child.gone():
                    raise died from error
                raise
            if died := child.gone():  # what its clients measured last is no round trip
                raise died


def _checked(server: Path, round_trip_ms: float) -> Path:
    """The server's socket, on which it listens."""
    if not 0 <= round_trip_ms <= LONGEST_MS:
        raise BenchbookError(
            f"round_trip_ms={round_trip_ms!r} is no round trip that can be added",
            f"give a number of milliseconds from 0 to {LONGEST_MS:g}",
        )
    target = server / _SERVERS
    if len(os.fsencode(target)) > _LONGEST_PATH:
        raise MachineError(f"{target} is too long a path for a Unix socket", "use a folder with a shorter path")
    with closing(socket.socket(socket.AF_UNIX)) as client:
        try:
            client.connect(os.fspath(target))
        except OSError as error:
            raise MachineError(
                f"no server listens at {target} ({error.strerror})", f"start it first; then {mishaps.AGAIN}"
            ) from error
    return target


def _parent(server: Path) -> Path:
    """Beside a server of ours, where its account can enter; or where paths are short enough for a socket."""
    places = [*temporary.scratch_folders(), *temporary.SHORT]
    short = [each for each in places if len(os.fsencode(each)) + _LONGEST_NAME <= _LONGEST_PATH]
    return next((each for each in server.parents if each in short), short[0])


def _account(server: Path) -> pwd.struct_passwd | None:
    """The account that has the server's folder, where root measures what runs under another one."""
    owner = server.lstat().st_uid
    if os.geteuid() != 0 or owner == 0:
        return None
    try:
        return pwd.getpwuid(owner)
    except KeyError:
        raise MachineError(
            f"the account {owner}, which has {server}, has no name", "start the server as another"
        ) from None


def _shared(folder: Path, account: pwd.struct_passwd) -> tuple[Path, Path]:
    """Where that account makes sockets, and a copy of the program that it can start."""
    if why := noexec.refusal(folder):
        raise why
    nofollow.let_through(folder, account)
    executable = folder / program.PROGRAM
    shutil.copy(program.find(), executable)
    nofollow.let_read(executable)
    return nofollow.made_over(folder / _SOCKETS, account), executable
