"""The session: each configuration of the ladder on a server of its own, one after the other."""

from __future__ import annotations

from benchbook.measuring.pgbench.ladder.bench import needs, reduce, session

__all__ = ["needs", "reduce", "session"]
