"""The delaying proxy where something is wrong: refusals in words, deaths that are named, and nothing left behind."""

from pathlib import Path

import psycopg
import pytest
from near_server import Server, connected, exactly, folders, the_proxy

from benchbook import children, temporary
from benchbook.engines import delay
from benchbook.errors import BenchbookError, MachineError, NoEngineError

pytestmark = pytest.mark.usefixtures("delay_built", "unhurried")


def refused(error: type[BenchbookError], told: str, folder: Path, round_trip_ms: float = 1) -> None:
    with pytest.raises(error, match=told), delay.proxied(folder, round_trip_ms=round_trip_ms):
        pass


@pytest.mark.parametrize("value", [-1, 100.1, float("nan"), float("inf")])
def test_what_is_no_round_trip_is_refused(server: Server, value: float) -> None:
    refused(BenchbookError, "no round trip.*; give a number of milliseconds from 0 to 100$", server.folder, value)


def test_without_a_server_nothing_is_started(server: Server) -> None:
    before = folders()
    server.leave()
    for folder in (server.folder, server.folder / "none", Path("/tmp") / ("long" * 30)):
        refused(MachineError, "no server listens at|too long a path", folder)
    assert folders() == before


def test_without_the_program_one_line_says_how_to_get_it(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHBOOK_PROBES", str(tmp_path))
    refused(NoEngineError, "delay is not built.*make probe-delay", server.folder)


def test_a_client_that_comes_after_the_server_has_gone_is_told_so(server: Server) -> None:
    with delay.proxied(server.folder, round_trip_ms=1) as proxy:
        server.leave()
        for _ in range(20):
            with pytest.raises(psycopg.OperationalError, match=r"nothing listens at .* behind the delaying proxy"):
                psycopg.connect(host=str(proxy.folder), user="anybody", dbname="any", connect_timeout=10)
        assert proxy.child.answer("report")["refused"] == 20


def test_a_proxy_that_was_killed_is_named(server: Server) -> None:
    def killed_at_work() -> None:
        with delay.proxied(server.folder, round_trip_ms=1) as proxy, connected(proxy.folder) as client:
            the_proxy().kill()
            exactly(client, 1)

    with pytest.raises(MachineError, match="the delaying proxy was killed by signal 9") as caught:
        killed_at_work()
    assert isinstance(caught.value.__cause__, AssertionError)


def test_a_proxy_that_was_killed_unnoticed_is_named_at_the_end(server: Server) -> None:
    proxied = delay.proxied(server.folder, round_trip_ms=1)
    proxied.__enter__()
    the_proxy().kill()
    with pytest.raises(MachineError, match="the delaying proxy was killed by signal 9"):
        proxied.__exit__(None, None, None)


def test_an_error_of_the_caller_passes_as_it_is_and_nothing_is_left(server: Server) -> None:
    seen = []

    def fail() -> None:
        with delay.proxied(server.folder, round_trip_ms=1) as proxy:
            seen.append((the_proxy(), proxy.folder))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    [(process, made)] = seen
    assert not process.is_running()
    assert not made.exists()
    assert made not in folders()


def test_where_data_sets_have_a_long_path_the_sockets_have_a_short_one(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("deep" * 20)
    deep.mkdir()
    monkeypatch.setenv("BENCHBOOK_SCRATCH", str(deep))
    with delay.proxied(server.folder, round_trip_ms=0) as proxy, connected(proxy.folder) as client:
        assert proxy.folder.parent in temporary.SHORT
        client.sendall(b"x")
        assert exactly(client, 1) == b"x"


@pytest.mark.parametrize(
    "words",
    [[], ["proxy", "0", "a"], ["proxy", "-1", "a", "b"], ["proxy", "50000001", "a", "b"], ["proxy", "1e3", "a", "b"],
     ["ping", "0", "a"], ["ping", "10"], ["echo"], ["echo", "a" * 108]],
)  # fmt: skip
def test_wrong_use_is_refused_in_words(words: list[str]) -> None:
    done = children.run([delay.find(), *words], timeout_s=60)
    assert done.returncode == 4
    assert "use: delay proxy" in done.stderr or "not a whole number" in done.stderr or "too long" in done.stderr
    assert done.stdout == ""
