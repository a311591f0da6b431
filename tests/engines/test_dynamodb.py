"""The adapter for DynamoDB: what is refused before anything is asked, and a table of our own on Amazon's imitation."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from eventually import eventually

from benchbook.chapters.comparators import Parameters, configurations
from benchbook.engines import dynamodb
from benchbook.engines.dynamodb.service import connect
from benchbook.errors import BenchbookError, MachineError, NoEngineError
from benchbook.measuring.features import beside, remote

ROOT = Path(__file__).parents[2]
SMALL = Parameters.given(
    {
        "blocks": 2, "n_tables": 3, "rows_per_table": 2_000, "hot_set_keys": 20, "warmup_requests": 20,
        "measured_requests": 200, "window_requests": 50, "cold_requests": 50, "stores": ["dynamodb"],
    }
)  # fmt: skip
HOT = next(arm for arm in configurations(SMALL) if arm.name == "dynamodb_hot")
ACCOUNT = {"AWS_ACCESS_KEY_ID": "BENCHBOOKTEST", "AWS_SECRET_ACCESS_KEY": "unused", "AWS_DEFAULT_REGION": "eu-west-1"}
OWNER = """
import time
from benchbook.engines import dynamodb
with dynamodb.private_table() as table:
    print(table.name, flush=True)
    time.sleep(60)
"""


def test_without_an_endpoint_the_store_is_left_out_and_a_wrong_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(dynamodb.ENDPOINT, raising=False)
    with pytest.raises(NoEngineError, match=dynamodb.ENDPOINT):
        dynamodb.identity()
    found, absent = beside.present({"dynamodb": remote.DynamoDB()})
    assert not found
    assert dynamodb.ENDPOINT in absent["dynamodb"]
    monkeypatch.setenv(dynamodb.ENDPOINT, "dynamodb.example")
    with pytest.raises(MachineError, match="is not an address"):
        dynamodb.identity()


def test_an_endpoint_that_does_not_answer_is_told_without_its_address_or_account(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    monkeypatch.setenv(dynamodb.ENDPOINT, f"http://someone:secret@127.0.0.1:{port}")
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("benchbook.engines.dynamodb.service.ATTEMPTS", 1)
    with pytest.raises(MachineError, match="cannot be asked") as caught:
        dynamodb.identity()
    for hidden in ("secret", str(port), ACCOUNT["AWS_ACCESS_KEY_ID"]):
        assert hidden not in str(caught.value)


def test_a_value_that_is_missing_or_wrong_fails_the_trial() -> None:
    ids = np.array([3, 5])
    stored, keys = dict(remote.items(SMALL, ids)), [*remote.requested(SMALL, ids)]
    right: list[list[bytes | None]] = [[stored[key.decode()] for key in each] for each in keys]
    remote.check(SMALL, ids, right, "DynamoDB")
    for wrong in (None, b"other"):
        with pytest.raises(BenchbookError, match="row 3 of table 0"):
            remote.check(SMALL, ids, [[wrong, *right[0][1:]], right[1]], "DynamoDB")


def listens(port: int) -> bool:
    with socket.socket() as asked:
        return not asked.connect_ex(("127.0.0.1", port))


@pytest.fixture(scope="module")
def imitation() -> Iterator[str]:
    """The address of a DynamoDB Local in memory, on a port of its own."""
    made = subprocess.run([ROOT / "setup" / "dynamodb.sh"], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(made.stderr.strip() or "DynamoDB Local is not there")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    libraries = ROOT / ".tools" / "dynamodb" / "lib"
    server = subprocess.Popen(
        ["java", f"-Djava.library.path={libraries}", "-DDDBLOCAL_TELEMETRY=0", "-cp", f"{libraries}/*",
         "software.amazon.dynamodb.services.local.main.ServerRunner", "-inMemory", "-port", str(port),
         "-disableTelemetry"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        assert eventually(lambda: server.poll() is not None or listens(port))
        assert server.stdout is not None
        assert server.poll() is None, server.stdout.read()[-2000:]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


@pytest.fixture
def client(imitation: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv(dynamodb.ENDPOINT, imitation)
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)
    return connect()


@pytest.mark.engine
@pytest.mark.long
def test_values_come_back_from_a_table_that_is_gone_afterwards(client: Any) -> None:
    with dynamodb.private_table() as table:
        stored = {f"key {number}": bytes([number]) for number in range(130)}
        assert table.store(stored.items()) == 130
        asked = table.spelled([*stored, "missing"])
        assert len(asked) == 2
        assert table.values(asked) == stored
        assert client.list_tables()["TableNames"] == [table.name]
    assert client.list_tables()["TableNames"] == []


@pytest.mark.engine
@pytest.mark.long
def test_a_table_is_deleted_when_its_owner_is_killed(client: Any) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    name = owner.stdout.readline().strip()
    assert client.list_tables()["TableNames"] == [name]
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait()
    owner.stdout.close()
    assert eventually(lambda: client.list_tables()["TableNames"] == [])


@pytest.mark.engine
@pytest.mark.long
def test_a_trial_has_every_value_and_says_that_it_is_an_imitation(client: Any) -> None:
    store = remote.DynamoDB()
    assert store.identity() == {"store": "DynamoDB", "version": "an imitation on this machine"}
    asked = store.ask(SMALL, HOT, seed=7)
    assert len(asked.latencies) == SMALL.measured_requests == asked.metrics["requests"]
    assert asked.metrics["checked_values"] == SMALL.measured_requests * SMALL.n_tables
    assert (asked.latencies > 0).all()
    assert asked.state == "not certified"
    assert client.list_tables()["TableNames"] == []
