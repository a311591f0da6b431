"""Every chapter's numbers of one planted run, whose values follow from the names of configuration and metric.

    python -m tests.chapters.planted_numbers    write numbers.csv and requests.csv, which test_numbers compares, anew

Look at the difference before it is committed: it is what a change does to what the chapters compare with what.
"""

import csv
import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from benchbook import lab
from benchbook.errors import BenchbookError
from benchbook.model import Run
from benchbook.numbers.summary import Summary
from benchbook.parameters.kinds import Kind

FILE = Path(__file__).with_name("numbers.csv")
BLOCKS, VISITS = 6, (0, 0, 0, 1, 1, 1)
_SHARES = re.compile(r"share|ratio|_hit|hits|busy")
_COUNTS = re.compile(r"^(lookups|requests|transactions|operations|turns|.*_(requests|pages|blocks|rows|keys|looks))$")


class Number(NamedTuple):
    """As numbers.csv has it. kind, metric: of one that claims are judged by; the metric's A/A pair must agree."""

    chapter: str
    name: str
    point: str
    low: str
    high: str
    kind: str
    metric: str


CERTIFIED = {"filter_misses_per_lookup": 0.0}
"""Without which a trial would be refused."""


def values(arm: str, metric: str) -> np.ndarray:
    """Of a metric in a configuration, shape (blocks,): a level of its own and noise of a few percent."""
    draw = np.random.default_rng(zlib.crc32(f"{arm}|{metric}".encode()))
    if _SHARES.search(metric):
        found: np.ndarray = 1 / (1 + np.exp(-draw.normal(draw.uniform(-2, 2), 0.1, BLOCKS)))
        return found
    level = 10_000 if _COUNTS.match(metric) else 10
    found = level * np.exp(draw.normal(draw.uniform(0, 2), 0.05, BLOCKS))
    return found.round() if _COUNTS.match(metric) else found


def summary(name: str, **given: Any) -> Any:
    """The planted run of a chapter that measures. given: parameters that are not the default ones."""
    chapter: Any = lab.experiment(name)
    parameters = chapter.Parameters.given(given)
    arms = chapter.configurations(parameters)
    rows = [
        {"configuration": arm, "block": block, "trial": place * BLOCKS + block, "session": VISITS[block],
         "started_at": f"2026-01-{17 + VISITS[block]}T10:00:{block:02}+00:00", "duration_s": 1.0, **CERTIFIED}
        for place, arm in enumerate(arms) for block in range(BLOCKS)
    ]  # fmt: skip
    origin = {"engine_version": "1", "started_at": "2026-01-17T10:00:00+00:00"}
    tables = pd.DataFrame(rows), pd.DataFrame(), pd.DataFrame()
    run = Run("planted", name, chapter.version, {}, "standard", 1, BLOCKS, origin, *tables)
    made = chapter.page.module.Summary(chapter, run, parameters, arms)
    made.once("visits", lambda: np.asarray(VISITS))
    return made


def even(patch: pytest.MonkeyPatch, chapter: str, values: dict[Any, Any], **given: Any) -> Any:
    """Six blocks in which a metric, or that of one configuration, is as given, and any other 1."""

    def found(made: Summary, arm: str, metric: str) -> np.ndarray:
        value = values.get((arm, metric), values.get(metric, 1.0))
        return np.broadcast_to(np.asarray(value, dtype=float), BLOCKS)

    patch.setattr(Summary, "_values", found)
    made = summary(chapter, **given)
    trials = made.run.trials
    trials["memory"] = values.get("memory", "")
    for metric in {name if isinstance(name, str) else name[1] for name in values} - {"memory"}:
        cells = zip(trials["configuration"], trials["block"], strict=True)
        trials[metric] = [found(made, arm, metric)[block] for arm, block in cells]
    return made


def planted(name: str) -> Iterator[Number]:
    """The numbers of a chapter; of one that such a run cannot fill only what it is."""
    module: Any = lab.experiment(name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Summary, "_values", lambda self, arm, metric: values(arm, metric) if arm in self.arms else None)
        made, judged = summary(name), {each.number for each in module.page.page.front.claims.values()}
        for each, number in sorted(module.page.names.numbers.items()):
            estimand, ends = number.estimand, ("", "", "")
            try:
                found = estimand.compute(made)
                ends = tuple(f"{number.factor * end:.6g}" for end in (found.point, found.low, found.high))
            except (BenchbookError, LookupError, AttributeError, TypeError, ValueError):
                pass  # it asks for more than such a run has
            of = (str(estimand.quantity), estimand.metric or "") if each in judged else ("", "")
            yield Number(name, each, *ends, *of)


def measured() -> list[str]:
    """Chapters that measure."""
    return [name for name in lab.names() if lab.experiment(name).kind is Kind.MEASUREMENT]


def text() -> str:
    """The file, as it is now."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(Number._fields)
    for name in measured():
        writer.writerows(planted(name))
    return out.getvalue()


if __name__ == "__main__":
    from tests.chapters import requests_sent

    FILE.write_text(text())
    requests_sent.FILE.write_text(requests_sent.text(measured()))
