"""A sweep as jobs of a workflow, one a point: what each takes of a machine, and the command that measures it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any

from benchbook.experiments.manifest import Chapter
from benchbook.reuse.sweep import Point

UNKNOWN_MINUTES = 240
"""Asked for where no run tells how long a point takes."""


def written(
    module: Chapter, points: Sequence[Point], arguments: Sequence[str], minutes: Sequence[float | None]
) -> dict[str, Any]:
    """The configuration of workflow/Snakefile. minutes: of measuring each point, as far as they are known.

    Time is asked for twice over and with a quarter of an hour for loading: a job that ends early frees its node.
    """
    needs = [module.needs(point.parameters) for point in points]
    longest = max((each or UNKNOWN_MINUTES / 2 for each in minutes), default=UNKNOWN_MINUTES / 2)
    return {
        "arguments": [*arguments],
        "points": len(points),
        "labels": [point.words for point in points],
        "results": f"_build/sweeps/{module.name}-{hashlib.sha256(repr(arguments).encode()).hexdigest()[:8]}",
        "minutes": math.ceil(2 * longest + 15),
        "memory_mb": math.ceil(max(each.memory_bytes for each in needs) / 1e6),
        "disk_mb": math.ceil(max(each.disk_bytes for each in needs) / 1e6),
    }
