"""``size``: the hit ratio of a cache by its size, from the keys that were asked for."""

from pathlib import Path
from typing import Annotated

import typer

from benchbook.cli import json_output
from benchbook.cli.formatting import print_table, share
from benchbook.cli.json_output import AS_JSON
from benchbook.cli.progress import bar
from benchbook.errors import BenchbookError, check_known
from benchbook.figures.prose import digits

STEPS = 12


def size(
    trace: Annotated[
        Path, typer.Argument(help="Keys in the order asked for: text with a key a line, CSV, or Parquet.")
    ],
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy", metavar="NAME", help="lru, sharded-lru (RocksDB), clock-sweep (PostgreSQL), tinylfu (Badger)."
        ),
    ] = None,
    sizes: Annotated[
        list[float] | None,
        typer.Option("--at", metavar="KEYS", help="A size of the cache, in keys, or bytes with sizes; repeat."),
    ] = None,
    hits: Annotated[
        str, typer.Option("--hits", metavar="SHARE", help="Say which size has this hit ratio, such as 90%.")
    ] = "",
    column: Annotated[str, typer.Option("--column", metavar="NAME", help="The column of the keys.")] = "",
    size_column: Annotated[
        str, typer.Option("--size-column", metavar="NAME", help="A column with the bytes of each.")
    ] = "",
    shards: Annotated[int, typer.Option("--shards", min=1, max=4096, help="Of sharded-lru.")] = 16,
    warm_up: Annotated[
        str, typer.Option("--warm-up", metavar="SHARE", help="References that only fill the cache.")
    ] = "",
    rate: Annotated[
        float | None,
        typer.Option("--rate", help="Share of the keys that are followed; by default all of 10 million references."),
    ] = None,
    as_json: AS_JSON = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Size a cache: its hit ratio by its size, and the size for a wanted one, from a trace of keys.

    Up to 10 million references are followed exactly; of more a sample of the keys is, with its error (SHARDS). The
    clock sweep and TinyLFU always run on a sample of some hundred thousand references. Nothing is measured.

    Examples:

    benchbook size keys.txt --hits 90%

    benchbook size blocks.csv --column block --policy lru --policy clock-sweep --at 16384 --at 131072
    """
    from benchbook.caches import curve
    from benchbook.caches import trace as traces

    chosen = policy or [curve.LRU]
    for each in chosen:
        check_known("there is no policy", each, curve.POLICIES)
    wanted = share(hits) if hits else None
    skipped = share(warm_up) if warm_up else 0.0
    if any(each <= 0 for each in sizes or ()):
        raise BenchbookError("a size of 0 or less is none", "give sizes above 0")
    with bar("reading", None, quiet=quiet) as told:
        found = traces.read(trace, column, size_column, limit=curve.EXACT, rate=rate, told=told)
    every = sorted(sizes) if sizes else _steps(found.footprint)
    curves = {}
    for each in chosen:
        with bar(each, 1.0, quiet=quiet) as told:
            curves[each] = curve.curve(found, every, each, shards=shards, warm_up=skipped, told=told)
    if as_json:
        json_output.echo(
            {
                "references": found.total, "followed": int(found.keys.size), "rate": found.rate,
                "unit": "bytes" if size_column else "keys", "footprint": found.footprint,
                "curves": {name: [vars(point) for point in points] for name, points in curves.items()},
                "needed": {name: wanted and curve.needed(points, wanted) for name, points in curves.items()},
            }
        )  # fmt: skip
        return
    unit = "bytes" if size_column else "keys"
    sampled = (
        "" if found.rate == 1 else f", of which {found.keys.size:,} are followed ({100 * found.rate:.3g} % of the keys)"
    )
    typer.echo(f"{found.total:,} references{sampled}; all keys together: {digits(found.footprint)} {unit}\n")
    rows = [
        [
            f"{every[place]:,.0f}",
            f"{100 * every[place] / found.footprint:.1f} %",
            *(_said(points[place]) for points in curves.values()),
        ]
        for place in range(len(every))
    ]
    print_table([f"cache, {unit}", "of all keys", *(f"hits, {name}" for name in curves)], rows)
    for name, points in curves.items() if wanted else ():
        size_needed = curve.needed(points, wanted or 0)
        answer = (
            f"{digits(size_needed)} {unit}"
            if size_needed
            else f"no size of these (at most {100 * points[-1].hits:.1f} %)"
        )
        typer.echo(f"{100 * (wanted or 0):g} % of hits by {name}: {answer}")


def _steps(footprint: float) -> list[float]:
    """Sizes from a thousandth of all keys to all of them, twice as large each."""
    return sorted({max(1.0, round(footprint / 2**step)) for step in range(STEPS)})


def _said(point: object) -> str:
    found = vars(point)
    error = f" ± {100 * found['error']:.1f}" if found["error"] else ""
    return f"{100 * found['hits']:.1f}{error} %"
