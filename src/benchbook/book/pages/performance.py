"""The performance page: a figure of the main ratios, and two tables per part."""

from pathlib import Path

from docutils import nodes

from benchbook.bench.record import FILE, Part, Performance, Timing, read
from benchbook.book.parts.directives import Shown, beside_chapters
from benchbook.book.parts.figure_block import figure_nodes
from benchbook.book.parts.nodes import Folded
from benchbook.book.parts.tables import Cell, coded, table
from benchbook.book.records.figure_list import FIGURES_FILE
from benchbook.model import Scalar

NOT_MEASURED = "Not measured yet: `make bench` measures it on a quiet machine and writes data/performance.json."
_FOLDED_FROM = 12
"""Longer tables are folded."""
_UNITS = ((3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_LEAST_MINUTES = 120.0
"""Up to two minutes are told in seconds, up to two hours in minutes."""


def page(performance: Performance) -> list[nodes.Node]:
    """Where it was measured, and a section for each part. The figure is made by the directive."""
    return [nodes.paragraph("", f"Measured on {_host(performance.host)}."), *map(_section, performance.parts)]


def _host(host: dict[str, Scalar]) -> str:
    memory = host.get("memory_gib")
    parts = [
        host.get("processor"),
        f"{host['cores']} cores" if host.get("cores") else None,
        f"{memory:.0f} GiB of memory" if isinstance(memory, int | float) else None,
        host.get("system"),
        f"{host['filesystem']} on the scratch disk" if host.get("filesystem") else None,
        f"Python {host['python']}" if host.get("python") else None,
    ]
    return ", ".join(str(part) for part in parts if part)


def _section(part: Part) -> nodes.section:
    section = nodes.section(ids=[f"performance-{part.name}"], names=[f"performance-{part.name}"])
    section += [nodes.title("", part.title), nodes.paragraph("", _circumstances(part))]
    if part.skipped:
        section += nodes.paragraph("", f"Not measured: {part.skipped}.")
        return section
    if part.settings.get("small"):
        section += nodes.paragraph("", "Tried with little work: these numbers are not measurements.")
    section += _maybe_folded([_timed(each) for each in part.timings], ["what", "time", "repeats", "target"], "times")
    if part.comparisons:
        labels = {each.name: each.label for each in part.timings}
        rows: list[list[Cell]] = [
            [labels[each.name], labels[each.peer], f"{each.ratio:.3g} ({each.low:.3g} to {each.high:.3g})"]
            for each in part.comparisons
        ]
        section += _maybe_folded(rows, ["what", "peer", "time / peer's time"], "ratios")
    return section


def _circumstances(part: Part) -> str:
    moment = part.measured_at[:16].replace("T", " ")
    facts = [f"{name.replace('_', ' ')}: {_fact(value)}" for name, value in part.settings.items()]
    facts += [f"{name} {version}" for name, version in part.versions.items()]
    commit = f", commit {part.commit[:12]}{' with local changes' if part.dirty else ''}" if part.commit else ""
    words = f" Settings and versions: {'; '.join(facts)}." if facts else ""
    return f"{moment} UTC{commit}; load of the machine before: {part.load:g}.{words}"


def _fact(value: Scalar) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _maybe_folded(rows: list[list[Cell]], columns: list[str], what: str) -> nodes.Node:
    made = table(columns, rows, ["benchbook-runs"])
    return made if len(rows) < _FOLDED_FROM else Folded("", made, summary=f"All {len(rows)} {what}")


def _timed(timing: Timing) -> list[Cell]:
    """The geometric mean with its interval, or the only value; beside a target whether the interval lies below it."""
    from benchbook import statistics  # only this page needs it, and only while it is written

    number = len(timing.seconds)
    if number == 1:
        low = high = timing.seconds[0]
        words, repeats = told(low), "1, no interval"
    else:
        estimate = statistics.geometric_mean(timing.seconds)
        low, high = estimate.low, estimate.high
        words, repeats = told_with_interval(estimate.point, low, high), str(number)
    return [timing.label, words, repeats, _target(timing.target_s, low, high)]


def _target(target_s: float | None, low: float, high: float) -> str:
    if target_s is None:
        return ""
    state = "met" if high <= target_s else "missed" if low > target_s else "open"
    return f"{told(target_s)}: {state}"


def _unit(seconds: float) -> tuple[float, str]:
    """Size in seconds and name of the unit for a duration > 0."""
    for size, name in _UNITS:
        if seconds >= (_LEAST_MINUTES / 60 * size if size > 1 else size):
            return size, name
    return _UNITS[-1]


def told(seconds: float) -> str:
    """Three digits and the unit, such as "31.2 µs"."""
    size, name = _unit(seconds)
    return f"{seconds / size:.3g} {name}"


def told_with_interval(point: float, low: float, high: float) -> str:
    """All three in the point's unit, such as "31.2 µs (30.1 to 32.4)"."""
    size, name = _unit(point)
    return f"{point / size:.3g} {name} ({low / size:.3g} to {high / size:.3g})"


class PerformanceDirective(Shown):
    """``{benchbook-performance}``: the published measurement of the book's own speed."""

    reads = (FILE.as_posix(), beside_chapters(FIGURES_FILE))

    def shown(self, root: Path) -> list[nodes.Node]:
        """One line where there is no record."""
        from benchbook.book.records.performance_figure import ratios  # brings the statistics, which no other page needs

        performance = read(root / FILE)
        if performance is None:
            return [nodes.paragraph("", "", *coded(NOT_MEASURED))]
        where, *sections = page(performance)
        figure = ratios(performance)
        drawn = figure_nodes(self.state.document, figure.record(), root) if figure is not None else []
        return [where, *drawn, *sections]
