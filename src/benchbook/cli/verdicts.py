"""``verdicts``: every claim of the ledger, judged by the stored runs, as a table, as JSON or as Markdown."""

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Annotated, Any

import typer

from benchbook import lab, store
from benchbook.book.records import basis
from benchbook.book.records.basis import MEANS, by_kind
from benchbook.book.records.judged import Judged, every_claim, keep, kept, kept_key, of_ledger
from benchbook.claims import Claim, load_claims
from benchbook.cli import json_output, verdict_summary
from benchbook.cli.formatting import print_table
from benchbook.errors import check_known
from benchbook.experiments import chosen_runs
from benchbook.experiments.manifest import Chapter
from benchbook.figures import VerdictTable
from benchbook.model import Outcome
from benchbook.parameters import profiles
from benchbook.parameters.kinds import Kind
from benchbook.store import Entry

PATIENCE_S = 2.0
"""How long the command may be silent."""
_QUOTE_SHOWN = 60


def verdicts(
    note: Annotated[str | None, typer.Option("--note", metavar="000|...|004", help="Only this note's claims.")] = None,
    chapter: Annotated[str | None, typer.Option("--chapter", help="Only the claims that this chapter answers.")] = None,
    outcome: Annotated[str | None, typer.Option("--outcome", help="Only claims with this verdict.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list with every number instead.")] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the counts by note, from the published runs alone, as Markdown.")
    ] = False,
    into: Annotated[
        Path | None,
        typer.Option("--into", help="File to write these counts into, between its two marks, such as README.md."),
    ] = None,
) -> None:
    """Judge the notes' claims by the stored runs: a chapter's published runs, or else those made here.

    A run of the quick profile judges only while there is no other; `benchbook build` shows local runs instead, and
    what it says of a claim may differ for that reason. A claim that no stored run answers is shown as not yet run,
    not testable here, or not a measurement. Nothing is measured. The outcomes are: holds, another size, no effect,
    wrong, depends on the host, depends on a condition, six kinds of open (one visit, interval, host, condition, a check
    failed, not by this design), not testable here, not a measurement, not yet run. "decided by" says what a verdict
    stands on: measured here, by construction (its cause cannot act), from the note's own report, or recomputed. Beside
    it stand the visits, the processors, and the look at the data at which it fell.

    Examples:

    benchbook verdicts

    benchbook verdicts --note 000 --outcome wrong

    benchbook verdicts --chapter hot_cold_keys --json

    benchbook verdicts --into README.md
    """
    claims = load_claims()
    notes, chapters = (sorted({getattr(claim, name) for claim in claims.values()}) for name in ("note", "chapter"))
    for what, given, known in (("note", note, notes), ("chapter", chapter, chapters), ("outcome", outcome, Outcome)):
        if given is not None:
            check_known(f"there is no {what}", given, known)
    asked = {
        id_: claim
        for id_, claim in claims.items()
        if note in (None, claim.note) and chapter in (None, claim.chapter)
    }  # fmt: skip
    found = _given(asked, claims, published_only=as_markdown or into is not None)
    judged = [each for each in every_claim(asked, found) if outcome in (None, str(each.outcome))]
    if into is not None:
        verdict_summary.put_into(into, verdict_summary.brief(judged))
        return
    if as_markdown:
        typer.echo(verdict_summary.markdown(judged), nl=False)
        return
    if as_json:
        json_output.echo([*map(_record, judged)])
        return
    if judged:
        head = ["claim", "note", "chapter", "verdict", "decided by", "visits", "look", "processors", "the note says"]
        print_table(head, [_row(each) for each in judged])
    typer.echo(f"\n{len(judged)} of {len(claims)} claims" + (f": {basis.parted(judged)}" if judged else ""))
    for kind, own in by_kind(judged).items():
        typer.echo(f"{kind} ({len(own)}): {MEANS[kind]}")
    if amended := basis.amended(judged):
        typer.echo(amended)
    if runs := {each.run_id for each in judged if each.run_id}:
        typer.echo(f"judged by {_whose(runs)}")


def _whose(runs: set[str]) -> str:
    """How many published runs, and which local ones by their profile."""
    known = sorted((entry for entry in store.catalogue() if entry.id in runs), key=lambda entry: entry.id)
    published = {entry.id for entry in known if entry.published}
    local = [
        f"{entry.id} ({entry.record['experiment']}, {entry.record['profile']})"
        for entry in known
        if entry.record and entry.id not in published
    ]
    parts = [f"{len(published)} published run{'' if len(published) == 1 else 's'}"] if published else []
    return " and ".join([*parts, f"local: {', '.join(local)}"] if local else parts)


def _given(asked: dict[str, Claim], known: dict[str, Claim], *, published_only: bool) -> Iterator[Judged]:
    """What the chapters of the claims asked for conclude; a chapter without a run concludes nothing."""
    wanted = kept_key(published_only=published_only)
    given = kept(wanted, known)
    if given is None:
        given = [*_judged({claim.chapter for claim in asked.values()}, known, published_only=published_only)]
        if wanted is not None and asked == known:
            keep(wanted, given)
    # With --note, a chapter that answers several notes also judges claims that were not asked for.
    return (each for each in given if each.verdict.claim_id in asked)


def _judged(chapters: Collection[str], known: dict[str, Claim], *, published_only: bool) -> Iterator[Judged]:
    started = time.monotonic()
    for name in lab.names():
        if name in chapters:
            with _said_when_slow(f"{name}: judging its claims", started):
                yield from _of(lab.experiment(name), known, published_only=published_only)


def _of(module: Chapter, known: dict[str, Claim], *, published_only: bool) -> list[Judged]:
    every: Any = module  # judge takes the module's own kind of summary
    if module.kind is Kind.ANALYSIS:
        summary, run_id = every.summarize(every.Parameters()), ""
    else:
        entry = newest(module)
        if entry is None or (published_only and not entry.published):
            return []
        run = chosen_runs.pooled(module, str((entry.record or {})["key"]), public=entry.published)
        assert run is not None  # the entry is one of its parts
        summary, run_id = every.summarize(run), run.id
    return [of_ledger(known, verdict, module.name, run_id) for verdict in every.judge(summary)]


def newest(module: Chapter) -> Entry | None:
    """The run that stands for an experiment in its present measurement version, a published one before any other.

    A run of an earlier version is passed over, and a line on standard error says so when there is no other.
    """
    present = chosen_runs.complete(module)
    if not present and any(each.record and each.record["state"] == "complete" for each in store.catalogue(module.name)):
        typer.echo(f"{module.name}: its stored runs are of an earlier measurement version, so none counts", err=True)
    return max(present, key=lambda entry: (entry.published, profiles.precedence(entry.record)), default=None)


@contextmanager
def _said_when_slow(text: str, started: float) -> Iterator[None]:
    """Print the text on standard error once the command has taken longer than PATIENCE_S."""
    timer = Timer(max(0.0, PATIENCE_S - (time.monotonic() - started)), typer.echo, [text], {"err": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _row(judged: Judged) -> list[str]:
    claim, quote = judged.claim, " ".join(judged.claim.quote.split())
    shown = quote if len(quote) <= _QUOTE_SHOWN else f"{quote[: _QUOTE_SHOWN - 1].rstrip()}…"
    verdict = judged.verdict
    stands_on = [str(verdict.visits or ""), str(verdict.look or ""), ", ".join(verdict.processors)]
    return [claim.id, claim.note, claim.chapter, str(judged.outcome), str(basis.basis(judged)), *stands_on, shown]


def _record(judged: Judged) -> dict[str, Any]:
    """What a page knows of it, with whole estimates, the claim's note and kind, and what decides it."""
    claim, verdict = judged.claim, judged.verdict
    [known] = VerdictTable.of(claim.chapter, [verdict], {claim.id: claim}).records()
    return known | {
        "note": claim.note,
        "kind": claim.kind,
        "decided_by": str(basis.basis(judged)),
        "estimate": verdict.estimate and json_output.estimate(verdict.estimate),
        "hosts": [
            host | json_output.estimate(each.estimate) for host, each in zip(known["hosts"], verdict.hosts, strict=True)
        ],
        "run_id": judged.run_id,
    }
