"""Note 000 recomputed: facts of its code, shares and sizes."""

from __future__ import annotations

from benchbook.experiments import notes
from benchbook.experiments.notes_reanalysis.places import ARITHMETIC
from benchbook.experiments.recomputed import Estimand, Working, read


def _stated(name: str) -> float:
    return notes.number("lakebase_constants", "value", name=name)


def _not_warmed() -> Working:
    warmed, first, measured = (int(_stated(n)) for n in ("warmup_keys", "benchmark_first_key", "benchmark_keys"))
    outside = len(set(range(first, first + measured)) - set(range(warmed)))
    return Working(outside, f"Of positions {first:,} to {first + measured - 1:,}, not among 0 to {warmed - 1:,}")


def _warmed_share() -> Working:
    warmed, sampled = _stated("warmup_iterations"), _stated("sampled_keys")
    return Working(warmed / sampled, f"{warmed:,.0f} / {sampled:,.0f}")


def _upper_share() -> Working:
    ram, low, high = (
        _stated(n) for n in ("cluster_ram", "recommended_shared_buffers_lo", "recommended_shared_buffers_hi")
    )
    return Working(ram * high / 100, f"{high:g} % of {ram:g} GB (the lower end: {low:g} % are {ram * low / 100:g} GB)")


def _doubling() -> Working:
    low, high, new = (
        _stated(n) for n in ("assumed_shared_buffers_lo", "assumed_shared_buffers_hi", "recommended_shared_buffers")
    )
    middle = (low + high) / 2
    return Working(
        new / middle,
        f"{new:g} / {middle:g}, the middle of {low:g} to {high:g}; at the ends {new / low:g} and {new / high:g}",
    )


def _advantage() -> Working:
    other, bound = _stated("dynamodb_p99"), _stated("p99_to_present")
    return Working((other - bound) / other, f"({other:g} - {bound:g}) / {other:g}, with a bound that was not measured")


ESTIMANDS: dict[str, Estimand] = {
    "L007": read("warm_up_keys"),
    "L008": Estimand(_not_warmed),
    "L018": read("sampled_keys"),
    "L019": read("warm_up_iterations"),
    "L020": Estimand(_warmed_share, ARITHMETIC),
    "L021": read("warm_up_cycles"),
    "L025": read("all_column_statements"),
    "L032": read("columns_parameters"),
    "L042": Estimand(_upper_share, ARITHMETIC),
    "L071": Estimand(_doubling, ARITHMETIC),
    "L072": Estimand(_advantage, ARITHMETIC),
    "L078": read("reused_key_assignments"),
    "L079": read("warm_up_loops"),
}
