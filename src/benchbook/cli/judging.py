"""``judge``: numbers of other tools, one side against the other, by the book's rule."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from benchbook.cli import json_output, output_files
from benchbook.cli.formatting import share
from benchbook.cli.json_output import AS_JSON
from benchbook.cli.progress import bar
from benchbook.errors import DisagreementError, UndecidedError

AGAINST = "--against"


class Command(TyperCommand):
    """``--against`` takes every file up to the next option, as a shell writes out ``old-*.log``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The same with the option before each of them."""
        spread: list[str] = []
        against = False
        for each in args:
            against = each == AGAINST if each.startswith("-") else against
            if each != AGAINST:
                spread += [AGAINST, each] if against else [each]
        return super().parse_args(ctx, spread)


def judge(
    files: Annotated[list[Path], typer.Argument(metavar="A...", help="Files of one side, or a table.")],
    against: Annotated[
        list[str] | None,
        typer.Option(AGAINST, metavar="B...", help="Files of the other side, or the other configuration of a table."),
    ] = None,
    configuration: Annotated[
        str, typer.Option("--configuration", metavar="NAME", help="The table's configuration that is A.")
    ] = "",
    metric: Annotated[
        str,
        typer.Option("--metric", metavar="NAME", help="What is judged: throughput, mean latency, P99; the first one."),
    ] = "",
    claim: Annotated[
        str,
        typer.Option("--claim", metavar="REGION", help='Of A/B: ">1.1", "<0.9" or "0.95..1.05"; sets the exit code.'),
    ] = "",
    same: Annotated[str, typer.Option("--same", metavar="SHARE", help="What differs by less is the same.")] = "5%",
    form: Annotated[str, typer.Option("--format", metavar="NAME", help="Where the content does not tell.")] = "",
    as_json: AS_JSON = False,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page with the figure.")] = None,
    force: output_files.FORCE = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Judge your own numbers: is A faster than B, is it noise, and how many runs are lacking?

    Files of pgbench (output or logs), sysbench, HammerDB, hyperfine, pyperf, Google Benchmark, Criterion and
    ClickBench, told apart by their content, or a table with the columns configuration and value. Nothing is measured.

    With --claim: exit 0 where it holds, 7 where it is wrong, 8 where it is open.

    Examples:

    benchbook judge new-*.log --against old-*.log

    benchbook judge trials.csv --configuration large --against small --claim ">1.1"
    """
    from benchbook.own_numbers import report
    from benchbook.own_numbers.judged import Claimed

    output_files.check(html)
    every = [*files, *map(Path, against or [])]
    with bar("reading", sum(each.stat().st_size for each in every if each.is_file()), quiet=quiet) as told:
        found = report.answer(
            files, against or [], configuration=configuration, metric=metric, claim=claim, same=share(same), form=form,
            told=told,
        )  # fmt: skip
    if as_json:
        json_output.echo(report.record(found.found, found.claims))
    else:
        typer.echo("\n".join(found.lines))
    if html is not None:
        from benchbook.own_numbers import page  # late: plotly

        output_files.write(html, page.page(found.found, found.lines).encode(), force=force)
    if Claimed.WRONG in found.outcomes:
        raise DisagreementError(f"the claim {claim} is wrong", "see the ratios; leave out --claim to compare only")
    if Claimed.OPEN in found.outcomes:
        raise UndecidedError(f"the claim {claim} is open", "see what is lacking; leave out --claim to compare only")
