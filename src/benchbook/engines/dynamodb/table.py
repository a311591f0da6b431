"""A table of our own: created under a name that nobody else has, filled, read in batches, and deleted at the end."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from benchbook import temporary
from benchbook.engines import guardian
from benchbook.engines.dynamodb.service import connect, told
from benchbook.errors import BenchbookError, MachineError

KIND = "probe"
"""Of the folder that remembers the table's name: one that is removed with whatever lies in it."""
KEY, VALUE = "k", "v"
WRITTEN_AT_ONCE, READ_AT_ONCE = 25, 100
"""The service's limits for a batch."""
ROUNDS, PAUSE_S = 12, 0.05
"""How often what the service put off is asked for again, and how long is waited before the second time."""
_NAME = "dynamodb-table"
MADE_WITHIN = {"Delay": 1, "MaxAttempts": 120}


@dataclass(frozen=True)
class Table:
    client: Any
    name: str

    def store(self, items: Iterable[tuple[str, bytes]]) -> int:
        """Write keys with their values; how many. Raises MachineError where the service refuses."""
        waiting, stored = iter(items), 0
        while some := list(islice(waiting, WRITTEN_AT_ONCE)):
            asked = [{"PutRequest": {"Item": {KEY: {"S": key}, VALUE: {"B": value}}}} for key, value in some]
            self._until_done("batch_write_item", "UnprocessedItems", {self.name: asked})
            stored += len(some)
        return stored

    def spelled(self, keys: Sequence[str]) -> list[Mapping[str, Any]]:
        """What ``values`` takes for these keys, made before anything is timed."""
        parts = (keys[start : start + READ_AT_ONCE] for start in range(0, len(keys), READ_AT_ONCE))
        return [{self.name: {"Keys": [{KEY: {"S": key}} for key in part]}} for part in parts]

    def values(self, spelled: Iterable[Mapping[str, Any]]) -> dict[str, bytes]:
        """The values that are there, by key."""
        found: dict[str, bytes] = {}
        for asked in spelled:
            for answer in self._until_done("batch_get_item", "UnprocessedKeys", asked):
                found |= {item[KEY]["S"]: bytes(item[VALUE]["B"]) for item in answer["Responses"].get(self.name, ())}
        return found

    def _until_done(self, operation: str, left: str, asked: Mapping[str, Any]) -> list[Any]:
        """The answers to a batch, asked again for what the service put off."""
        answers: list[Any] = []
        for attempt in range(ROUNDS):
            if attempt:
                time.sleep(PAUSE_S * 2 ** (attempt - 1))
            with told():
                answers.append(getattr(self.client, operation)(RequestItems=asked))
            asked = answers[-1].get(left) or {}
            if not asked:
                return answers
        raise BenchbookError(
            f"DynamoDB put off a part of a batch {ROUNDS} times", "give the account more capacity, or ask for less"
        )


@contextmanager
def private_table() -> Iterator[Table]:
    """An empty table, billed by request, deleted at the end, also where this process is killed.

    Raises NoEngineError without boto3 or an endpoint, MachineError where the service refuses.
    """
    client = connect()
    with temporary.folder(KIND) as folder:
        name = f"benchbook-{secrets.token_hex(8)}"
        (folder / _NAME).write_text(name)
        with guardian.guarded(folder, drop, after_a_kill):
            with told():
                client.create_table(
                    TableName=name,
                    KeySchema=[{"AttributeName": KEY, "KeyType": "HASH"}],
                    AttributeDefinitions=[{"AttributeName": KEY, "AttributeType": "S"}],
                    BillingMode="PAY_PER_REQUEST",
                )
                client.get_waiter("table_exists").wait(TableName=name, WaiterConfig=MADE_WITHIN)
            yield Table(client, name)


def drop(folder: Path) -> None:
    """Delete the table whose name lies in a folder of ours; quiet where it was never made.

    Raises MachineError, with its name, where that is refused.
    """
    name = (folder / _NAME).read_text()
    client = connect()
    try:
        with told():
            client.delete_table(TableName=name)
    except MachineError as error:
        if "ResourceNotFoundException" not in error.problem:
            raise MachineError(f"the table {name} was not deleted: {error.problem}", "delete it by hand") from error


def after_a_kill(folder: Path) -> None:
    """What the guardian does."""
    drop(folder)
    temporary.remove(folder)
