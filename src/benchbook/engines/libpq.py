"""The caller's PostgreSQL settings, kept away: a private server must be asked, and nobody else's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

PREFIX = "PG"
"""Every variable that libpq reads begins so: PGHOSTADDR and PGPORT lead elsewhere, PGOPTIONS changes plans."""


@contextmanager
def without_callers_settings() -> Iterator[None]:
    """Take libpq's environment variables out of this process for a while, and put them back.

    The files that libpq reads are named by such variables, or asked for by one (a service), or hold passwords, which
    a private server never asks for. Source: PostgreSQL documentation, libpq, Environment Variables.
    """
    taken = {name: os.environ.pop(name) for name in [*os.environ] if name.startswith(PREFIX)}
    try:
        yield
    finally:
        os.environ.update(taken)
