"""Whatever experiments exist: found, not listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchbook import lab


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", lab.names())


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return Path(__file__).parents[2]
