"""The way to DynamoDB: boto3, with the endpoint from the environment and the account as boto3 finds it."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from benchbook.errors import MachineError, NoEngineError

ENDPOINT = "BENCHBOOK_DYNAMODB_ENDPOINT"
MEND = f"set {ENDPOINT} to the address of the service or of DynamoDB Local, and leave the account to boto3"
ATTEMPTS, CONNECT_S, READ_S = 5, 5, 20
REFUSED = "see that the endpoint answers, and that the account may create, fill, read and delete a table there"


def address() -> str:
    """The endpoint's address. Raises NoEngineError where the environment names none, MachineError for no address."""
    named = os.environ.get(ENDPOINT, "")
    if not named:
        raise NoEngineError(f"{ENDPOINT} names no DynamoDB", MEND)
    parts = urlsplit(named)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise MachineError(f"{ENDPOINT} is not an address that begins with http:// or https://", MEND)
    return named


def local() -> bool:
    """Whether the endpoint is on this machine, and thus an imitation."""
    host = urlsplit(address()).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def connect() -> Any:
    """A client. Raises NoEngineError without boto3 or an endpoint, MachineError where boto3 cannot make one."""
    endpoint = address()
    try:
        import boto3  # an extra: nothing else needs it
        from botocore.config import Config
    except ImportError:
        raise NoEngineError("boto3 is not installed", "pip install 'boto3>=1.35,<2', or leave dynamodb out") from None
    asked = Config(
        retries={"total_max_attempts": ATTEMPTS, "mode": "standard"}, connect_timeout=CONNECT_S, read_timeout=READ_S
    )
    with told():
        return boto3.client("dynamodb", endpoint_url=endpoint, config=asked)


def identity() -> dict[str, str]:
    """What would be asked; neither its address nor the account. Raises MachineError where it does not answer."""
    client = connect()
    with told():
        client.list_tables(Limit=1)
    return {"engine": "DynamoDB", "engine_version": "an imitation on this machine" if local() else "a hosted service"}


@contextmanager
def told() -> Iterator[None]:
    """What boto3 raises is a MachineError that says what the service refused, and nothing of address or account."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "without a code")
        raise MachineError(f"DynamoDB refused {error.operation_name} ({code})", REFUSED) from error
    except BotoCoreError as error:
        raise MachineError(f"DynamoDB cannot be asked ({type(error).__name__})", REFUSED) from error
