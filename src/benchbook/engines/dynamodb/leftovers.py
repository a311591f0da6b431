"""Deletes the table whose name lies in a folder of ours: for its owner, and for the guardian after a kill."""

from __future__ import annotations

from pathlib import Path

from benchbook import temporary
from benchbook.engines.dynamodb.service import connect, told
from benchbook.errors import MachineError

NAME = "dynamodb-table"


def after_a_kill(folder: Path) -> None:
    """What the guardian does."""
    drop(folder)
    temporary.remove(folder)


def drop(folder: Path) -> None:
    """Delete the table; quiet where it was never made. Raises MachineError, with its name, where that is refused."""
    name = (folder / NAME).read_text()
    client = connect()
    try:
        with told():
            client.delete_table(TableName=name)
    except MachineError as error:
        if "ResourceNotFoundException" not in error.problem:
            raise MachineError(f"the table {name} was not deleted: {error.problem}", "delete it by hand") from error
