"""A client for the few commands that a look-up takes: spelled ahead, and answers of known length read whole."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from pathlib import Path

from benchbook.errors import BenchbookError

_LIMIT_S = 10.0
PING, PONG = b"*1\r\n$4\r\nPING\r\n", b"+PONG\r\n"


def command(*parts: bytes) -> bytes:
    """A command as it goes over the wire."""
    spelled = b"".join(b"$%d\r\n%b\r\n" % (len(part), part) for part in parts)
    return b"*%d\r\n%b" % (len(parts), spelled)


def multi_get(keys: Sequence[bytes]) -> bytes:
    return command(b"MGET", *keys)


class Client:
    """One connection through a Unix socket. Every call raises OSError where nobody answers within ten seconds."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(_LIMIT_S)
        try:
            self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def ping(self) -> None:
        if self.ask(PING, len(PONG)) != PONG:
            raise BenchbookError("Redis answered a PING with something else", "look at its version")

    def ask(self, spelled: bytes, answer_bytes: int) -> bytes:
        """Send what ``command`` spelled and read an answer of so many bytes.

        Raises BenchbookError for an error and for a shorter answer, such as one in which a value is missing.
        """
        self._socket.sendall(spelled)
        parts = [self._socket.recv(answer_bytes)]
        got = len(parts[0])
        while got < answer_bytes and parts[-1]:
            if parts[0][:1] == b"-":
                break
            try:
                parts.append(self._socket.recv(answer_bytes - got))
            except TimeoutError:
                break
            got += len(parts[-1])
        if got != answer_bytes:
            raise BenchbookError(
                f"Redis answered {got} bytes instead of {answer_bytes}: {b''.join(parts)[:60]!r}",
                "a value is missing or the server is gone: measure again",
            )
        return b"".join(parts)

    def values(self, spelled: bytes, count: int, value_bytes: int) -> list[bytes]:
        """The values, all of one length, of a command that ``multi_get`` spelled for so many keys."""
        head, each = b"*%d\r\n" % count, b"$%d\r\n" % value_bytes
        step = len(each) + value_bytes + 2
        answer = self.ask(spelled, len(head) + count * step)
        first = len(head) + len(each)
        return [answer[start : start + value_bytes] for start in range(first, len(answer), step)]

    def send_all(self, spelled: bytes, commands: int) -> None:
        """Send many commands at once, each of which answers +OK; raises BenchbookError where one does not."""
        ok = b"+OK\r\n"
        if self.ask(spelled, commands * len(ok)) != ok * commands:
            raise BenchbookError("Redis refused to store a value", "see whether memory ran out")

    def info(self, section: str) -> dict[str, str]:
        """The server's own account of itself."""
        text = self._bulk(command(b"INFO", section.encode()))
        pairs = (line.split(":", 1) for line in text.splitlines() if ":" in line)
        return {name: value.strip() for name, value in pairs}

    def size(self) -> int:
        return int(self._line(command(b"DBSIZE")).lstrip(b":"))

    def _line(self, spelled: bytes) -> bytes:
        self._socket.sendall(spelled)
        with self._socket.makefile("rb", buffering=0) as answers:
            found = answers.readline()
        if not found:
            raise BenchbookError("Redis ended the connection", "measure again")
        return found[:-2]

    def _bulk(self, spelled: bytes) -> str:
        head = self._line(spelled)
        if not head.startswith(b"$"):
            raise BenchbookError(f"Redis answered {head[:60]!r}", "look at its version")
        return self.ask(b"", int(head[1:]) + 2)[:-2].decode()
