"""Pinning: the client's core is not the server's, and everything is as before afterwards."""

import os
import subprocess
import sys
from contextlib import suppress

import pytest

from benchbook.engines import cores

if not hasattr(os, "sched_getaffinity"):
    pytest.skip("this system lets no program choose its cores", allow_module_level=True)

ALLOWED = os.sched_getaffinity(0)


@pytest.mark.skipif(len(ALLOWED) < 2, reason="one core only")
def test_client_and_server_share_no_core_and_use_all_that_are_allowed() -> None:
    found = cores.split()
    assert not found.client & found.server
    assert found.client | found.server == ALLOWED
    assert len(found.client) == 1


def test_one_core_cannot_be_split() -> None:
    with cores.on(frozenset({min(ALLOWED)})):
        assert cores.split() is None


def test_a_process_started_inside_stays_there_and_this_one_does_not() -> None:
    one = frozenset({max(ALLOWED)})
    program = "import os; print(*os.sched_getaffinity(0))"
    with suppress(KeyError), cores.on(one):
        said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        raise KeyError  # an error gives them back too
    assert {int(core) for core in said.split()} == one
    assert os.sched_getaffinity(0) == ALLOWED
