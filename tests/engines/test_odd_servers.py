"""A server of the user's own that falls silent, answers without end or answers nonsense: told soon, in our words."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import odd_servers
import psutil
import pytest
from odd_servers import Does
from own_servers import call

from benchbook.engines import own_server
from benchbook.engines.own_server import bounded
from benchbook.errors import MachineError

PLANTED = ("planted_role", "planted_database", "127.0.0.1", "\x1b")


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Names a server that does this as the user's own."""
    with ExitStack() as open_ones:

        def named(does: Does, *, patience_s: float = 1.0, **others: Any) -> None:
            port = open_ones.enter_context(odd_servers.serving(does, **others))
            services = tmp_path / "services"
            services.write_text(
                f"[odd]\nhost=127.0.0.1\nport={port}\nuser=planted_role\ndbname=planted_database\nsslmode=disable\n"
                "gssencmode=disable\n"
            )
            monkeypatch.setenv("PGSERVICEFILE", str(services))
            monkeypatch.setenv(own_server.SERVICE, "odd")
            monkeypatch.setattr(bounded.Bounded, "patience_s", patience_s)

        yield named


@pytest.mark.parametrize("command", [("clean", "--server"), ("run", "own_server", "--dry-run")])
def test_a_server_that_falls_silent_after_the_login_is_given_up(odd: Callable[..., None], command: tuple[str]) -> None:
    odd(odd_servers.silent)
    begun = time.monotonic()
    done = call(*command)
    assert done.exit_code == MachineError.code
    assert time.monotonic() - begun < 10
    assert "no whole answer came within 1 s" in done.output
    assert not [each for each in PLANTED if each in done.output]


@pytest.mark.parametrize("does", [odd_servers.wide_row, odd_servers.long_error, odd_servers.rows_without_end])
def test_an_answer_without_end_is_given_up_before_it_fills_the_memory(odd: Callable[..., None], does: Does) -> None:
    odd(does, patience_s=60.0)
    taken = psutil.Process().memory_info
    before = taken().rss
    with pytest.raises(MachineError, match="larger than 64 MiB"):
        own_server.connect("odd")
    assert taken().rss - before < 200 * 2**20


ROW = odd_servers.row
ODD = {
    "no answer but an end": odd_servers.message(b"I", b"") + odd_servers.message(b"Z", b"I"),
    "one column of two": ROW(b"t"),
    "five columns": ROW(b"t", b"", b"", b"", b""),
    "signs for the terminal": ROW(b"\x1b[31mplanted_role", b"\x1b"),
    "no text of this encoding": ROW(b"\xff\xfe", b"\xff"),
    "an error with names": odd_servers.error(b"ERROR", b"XX000", b"planted_role at 127.0.0.1 \x1b[2J")
    + odd_servers.message(b"Z", b"I"),
    "copying": odd_servers.message(b"H", b"\0\0\0") + odd_servers.message(b"Z", b"I"),
    "another protocol": b"HTTP/1.1 200 OK\r\n\r\n" * 10,
    "the end of the server": odd_servers.error(b"FATAL", b"57P01", b"terminating planted_role"),
    "words about SSL": odd_servers.error(b"FATAL", b"08006", b"SSL connection of planted_role has been closed"),
    "endless notices": (odd_servers.message(b"N", b"SNOTICE\0C00000\0M" + b"planted_role" * 50 + b"\0\0")) * 2000,
}


@pytest.mark.parametrize("name", [*ODD])
def test_odd_answers_are_told_in_words_of_our_own(
    name: str, odd: Callable[..., None], capfd: pytest.CaptureFixture[str]
) -> None:
    odd(odd_servers.answering(ODD[name]))
    with (
        pytest.raises(MachineError) as caught,
        own_server.connect("odd") as connection,
        own_server.told("cannot be asked"),
    ):
        own_server.facts(connection)
    said = f"{caught.value.problem} {caught.value.mend}" + "".join(capfd.readouterr())
    assert not [each for each in PLANTED if each in said]
    assert "sslmode" not in said


def test_notices_and_notifications_without_end_are_given_up(odd: Callable[..., None]) -> None:
    told = odd_servers.message(b"A", b"\0\0\0\1channel\0" + b"x" * 500 + b"\0") * 100
    odd(odd_servers.endlessly(told))
    begun = time.monotonic()
    with pytest.raises(MachineError, match="given up"):
        own_server.connect("odd")
    assert time.monotonic() - begun < 20


def test_a_connection_that_breaks_in_the_handshake_is_no_mistake_of_the_settings(odd: Callable[..., None]) -> None:
    odd(odd_servers.silent, before=socket.socket.close)
    with pytest.raises(MachineError, match="breaks off") as caught:
        own_server.connect("odd")
    assert "sslmode" not in caught.value.mend


def test_a_server_that_is_silent_in_the_handshake_is_given_up_after_ten_seconds(odd: Callable[..., None]) -> None:
    odd(odd_servers.silent, before=odd_servers.silent)
    begun = time.monotonic()
    with pytest.raises(MachineError, match="does not answer within 10 s"):
        own_server.connect("odd")
    assert time.monotonic() - begun < 15


def test_an_old_server_is_refused_by_its_version(odd: Callable[..., None]) -> None:
    odd(odd_servers.silent, version=b"9.6.24")
    with pytest.raises(MachineError, match="PostgreSQL 9, older than 14"):
        own_server.connect("odd")
