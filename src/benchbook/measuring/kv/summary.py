"""What runs of this family are asked beside what every run is: ratios of one metric, versions of several engines."""

from __future__ import annotations

from typing import ClassVar

from typing_extensions import TypeVar

from benchbook.measuring.kv import metric_words
from benchbook.model import Effect
from benchbook.numbers import summary
from benchbook.numbers.metrics import Metrics
from benchbook.parameters.base import ExperimentParameters

P = TypeVar("P", bound=ExperimentParameters, covariant=True, default=ExperimentParameters)


class Summary(summary.Summary[P]):
    """One run of a chapter of this family."""

    METRICS: ClassVar[Metrics] = metric_words.METRICS

    def over(self, top: str, bottom: str, metric: str) -> Effect:
        """How many times a metric of ``bottom`` that of ``top`` is, paired within blocks."""
        return self.ratio((top, metric), (bottom, metric))

    def on(self) -> str:
        """The engines with their versions, for captions."""
        version = str(self.run.provenance.get("engine_version", "unknown version"))
        return version if ", " in version else f"{self.chapter.engine} {version}"
