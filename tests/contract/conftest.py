"""Whatever experiments exist: found, not listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchbook import lab


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    analyses = lab.analyses()
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", lab.names())
    if "planned" in metafunc.fixturenames:
        metafunc.parametrize("planned", [name for name in lab.names() if name not in analyses])
    if "analysis" in metafunc.fixturenames:
        metafunc.parametrize("analysis", analyses)


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return Path(__file__).parents[2]
