"""The delaying proxy before a server of the test's own: what passes, and when."""

import hashlib
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from near_server import Handler, Server, connected, exactly, the_proxy

from benchbook.engines import delay

pytestmark = pytest.mark.usefixtures("delay_built", "unhurried")

MIB = 2**20


def answering_once(what: bytes) -> Handler:
    """Reads one byte, says this and leaves."""

    def serve(client: socket.socket) -> None:
        client.recv(1)
        client.sendall(what)

    return serve


def test_the_certificate_says_the_trip_that_was_asked_for_and_measured(server: Server) -> None:
    with delay.proxied(server.folder, round_trip_ms=20) as proxy:
        found = proxy.certificate
        assert found.asked_ms == 20
        assert found.exchanges == 50
        assert found.added_p50_ms <= found.added_p99_ms
        assert 0 < found.hold_us <= 10_000
        assert str(found).startswith("round trip of 20 ms asked, P50 ")
        again = proxy.measured()
    assert again.hold_us == found.hold_us
    assert again.added_p50_ms + again.direct_p50_us / 1e3 >= 2 * found.hold_us / 1e3


def test_no_byte_passes_before_its_time_and_none_is_changed(server: Server) -> None:
    with delay.proxied(server.folder, round_trip_ms=5) as proxy, connected(proxy.folder) as client:
        least_s = 2 * proxy.certificate.hold_us / 1e6
        for text in (b"a", b"much longer" * 1000, b"\0\xff"):
            begun = time.monotonic()
            client.sendall(text)
            assert exactly(client, len(text)) == text
            assert time.monotonic() - begun >= least_s


def test_a_large_result_is_late_and_no_slower(server: Server) -> None:
    result = os.urandom(MIB) * 50

    server.serve = answering_once(result)
    with delay.proxied(server.folder, round_trip_ms=20) as proxy, connected(proxy.folder) as client:
        begun = time.monotonic()
        client.sendall(b"?")
        whole = exactly(client, len(result))
        taken_s = time.monotonic() - begun
        told = proxy.child.answer("report")
    assert hashlib.sha256(whole).digest() == hashlib.sha256(result).digest()
    assert (told["connections"], told["refused"], told["bytes"]) == (1, 0, len(result) + 1)
    pieces = len(result) / 212_992  # what a socket's buffer holds
    assert taken_s < pieces * 0.02 / 2, "a piece waited for the one before it"


def test_a_client_may_end_its_side_and_read_on(server: Server) -> None:
    def answer_at_the_end(client: socket.socket) -> None:
        asked = b"".join(iter(lambda: client.recv(65536), b""))
        client.sendall(asked[::-1])

    server.serve = answer_at_the_end
    with delay.proxied(server.folder, round_trip_ms=2) as proxy, connected(proxy.folder) as client:
        client.sendall(b"abc" * 10_000)
        client.shutdown(socket.SHUT_WR)
        assert exactly(client, 30_000) == b"cba" * 10_000
        assert client.recv(1) == b""


def test_what_a_server_said_before_it_hung_up_arrives(server: Server) -> None:
    server.serve = answering_once(b"the end")
    with delay.proxied(server.folder, round_trip_ms=10) as proxy, connected(proxy.folder) as client:
        client.sendall(b"?" * 100_000)  # of which it reads one
        assert exactly(client, 7) == b"the end"
        assert client.recv(1) == b""
        assert proxy.measured().exchanges == 50, "other connections go on"


def test_a_hundred_clients_at_once_get_their_own_answers(server: Server) -> None:
    clients, rounds = 100, 20

    def ask(number: int) -> None:
        with connected(proxy.folder) as client:
            ready.wait(60)
            for turn in range(rounds):
                text = b"%d:%d;" % (number, turn) * 200
                client.sendall(text)
                assert exactly(client, len(text)) == text

    ready = threading.Barrier(clients)
    with delay.proxied(server.folder, round_trip_ms=5) as proxy, ThreadPoolExecutor(clients) as pool:
        begun = time.monotonic()
        for done in [pool.submit(ask, number) for number in range(clients)]:
            done.result()
        assert time.monotonic() - begun < clients * rounds * 0.005, "the clients waited for each other"
        told = proxy.child.answer("report")
    assert (told["connections"], told["refused"]) == (clients, 0)


def test_a_sender_is_stopped_while_its_receiver_sleeps(server: Server) -> None:
    sent = 0

    def pour(client: socket.socket) -> None:
        nonlocal sent
        while sent < 200 * MIB:
            sent += client.send(bytes(MIB))

    server.serve = pour
    with delay.proxied(server.folder, round_trip_ms=1) as proxy, connected(proxy.folder) as client:
        before = -1
        while sent != before:
            before = sent
            time.sleep(0.3)
        assert sent < 40 * MIB
        assert the_proxy().memory_info().rss < 80 * MIB
        exactly(client, 200 * MIB)
