"""Every number of a chapter, by its name, of one run: what a program can ask for instead of a sentence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchbook.claims import Quantity
from benchbook.errors import BenchbookError, check_known
from benchbook.experiments.manifest import Chapter
from benchbook.model import Effect, Estimate
from benchbook.numbers import quantities
from benchbook.numbers.estimands import named as arm_of_run
from benchbook.numbers.summary import Summary
from benchbook.parameters import wording
from benchbook.statistics import intervals

_TIMES = {"ns", "µs", "ms", "s"}


@dataclass(frozen=True)
class Found:
    """A number of a run.

    name: in the chapter's numbers. arms, metric: whose trials it is computed from, of a ratio the numerator's first,
    and from which of their metrics; "" where it takes more than one. kind: of quantity, as the methods page has them.
    claims: of the ledger that it decides. time: whether it is one, which no two machines share.
    """

    name: str
    estimate: Estimate
    arms: tuple[str, ...]
    metric: str
    kind: str
    claims: tuple[str, ...] = ()
    time: bool = False

    @property
    def scale(self) -> str:
        """Whether two of them differ by a ratio or by a difference: a share or a slope may be 0."""
        plain = isinstance(self.estimate, Effect) and self.estimate.scale == "difference"
        shares = intervals.of_blocks(self.estimate.method) in intervals.ON_LOGITS
        return "difference" if plain or shares or self.estimate.low <= 0 else "ratio"


def common_scale(*found: Found) -> str:
    """On which all of them can be compared."""
    return "ratio" if all(each.scale == "ratio" for each in found) else "difference"


def named(module: Chapter, names: Sequence[str]) -> list[str]:
    """Numbers of a chapter by their names, or by those of the claims that they decide, each once.

    Raises BenchbookError for a name that is neither.
    """
    claims, known = module.page.page.front.claims, module.page.names.numbers
    for name in names:
        check_known(f"{module.name} has no number or claim", name, [*known, *claims], f"choose of: {', '.join(known)}")
    return list(dict.fromkeys(claims[name].number if name in claims else name for name in names))


def estimates(module: Chapter, summary: Summary, names: Sequence[str] | None = None) -> Iterator[Found]:
    """The numbers that a run gives, in the chapter's order; those for which it measured too little are left out.

    names: only these; None: all.
    """
    decided: dict[str, list[str]] = {}
    for claim, said in module.page.page.front.claims.items():
        decided.setdefault(said.number, []).append(claim)
    for name, number in module.page.names.numbers.items():
        if names is not None and name not in names:
            continue
        try:
            found = quantities.estimate(summary, name, number)
        except BenchbookError:
            continue
        own = number.estimand
        arms = tuple(dict.fromkeys(arm_of_run(arm, summary) for arm in own.arms))
        level = own.quantity is Quantity.LEVEL and intervals.of_blocks(found.method) not in intervals.ON_LOGITS
        time = level or bool(_TIMES & {wording.unit(name), wording.unit(own.of)})
        yield Found(name, found, arms, own.metric or "", str(own.quantity), tuple(decided.get(name, ())), time)
