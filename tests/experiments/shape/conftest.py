"""The ledger does not change while judging is tested, and reading it takes most of the time."""

import functools
from collections.abc import Iterator

import pytest

from benchbook.claims import ledger


@pytest.fixture(autouse=True, scope="module")
def ledger_read_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledger, "load_claims", functools.cache(ledger.load_claims))
        yield
