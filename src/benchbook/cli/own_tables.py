"""``run own_server --tables``: an owner's two questions of their own load, printed, as JSON or as a page."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from benchbook.cli import json_output, output_files
from benchbook.cli.formatting import print_table, seconds
from benchbook.errors import BenchbookError

CHAPTER, WINDOW = "own_server", "60s"
LONGEST_S = 86_400.0
STATEMENTS = 10
QUESTIONS = {"hot": "Were hot keys measured?", "larger": "Could a larger pool help?"}
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Buffer pool and load</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;width:100%}td,th{padding:.3rem .6rem;text-align:right;border-bottom:1px solid #ddd}
td:first-child,th:first-child{text-align:left}meter{width:8rem;vertical-align:middle}</style>
<h1>Buffer pool and load</h1>
{% for question, answer in answers %}<h2>{{ question }} {{ answer.word|capitalize }}.</h2><p>{{ answer.because }}</p>
{% endfor %}<p>{{ seen }}</p>
<table><tr>{% for each in columns %}<th scope="col">{{ each }}</th>{% endfor %}</tr>
{% for row, share in rows %}<tr>{% for each in row %}<td>{{ each }}{% if loop.last and share is not none %}
<meter min="0" max="1" value="{{ share }}">{{ share }}</meter>{% endif %}</td>{% endfor %}</tr>
{% endfor %}</table>
{% if statements %}<h2>Statements with most blocks</h2>
<table><tr>{% for each in statement_columns %}<th scope="col">{{ each }}</th>{% endfor %}</tr>
{% for row in statements %}<tr>{% for each in row %}<td>{{ each }}</td>{% endfor %}</tr>{% endfor %}</table>{% endif %}
{% for each in notes %}<p>{{ each }}</p>{% endfor %}
</html>
"""
COLUMNS = ("table", "requests", "reads", "of indexes in the pool", "of rows in the pool")
STATEMENT_COLUMNS = ("queryid", "calls", "blocks a call", "reads a call", "ms a call", "in the pool")


def answer(given: str, window: str | None, out: Path | None, *, as_json: bool, dry: bool) -> None:
    """Watch the tables that ``given`` names for the window, and say what was seen. Nothing is made on the server."""
    from benchbook.engines import own_server  # late: it brings the client library
    from benchbook.engines.own_server.tables import tables
    from benchbook.engines.own_server.window import watched

    length = seconds(window or WINDOW)
    if not 1 <= length <= LONGEST_S:
        raise BenchbookError(f"a window of {window} cannot be watched", "give one between 1s and 24h")
    name = own_server.named_service()
    if out is not None:
        output_files.check_absent(out)
    with own_server.connect(name) as connection, own_server.told("cannot be asked"):
        facts = own_server.facts(connection)
        if dry:
            _foreseen(facts.words(), [each.full_name for each in tables(connection, given)], length, as_json=as_json)
            return
        typer.echo(f"watching {given.strip()} for {length:g} s: let your load run now", err=True)
        seen = watched(connection, facts, given, length)
    if as_json:
        json_output.echo(_record(seen))
    elif out is None:
        _print(seen)
    if out is not None:
        output_files.write(out, _page(seen).encode())


def _foreseen(words: str, names: list[str], length: float, *, as_json: bool) -> None:
    if as_json:
        json_output.echo({"reached": words, "tables": names, "seconds": length})
        return
    typer.echo(f"reached {words}")
    typer.echo(f"would watch {len(names)} table{'s' if len(names) != 1 else ''} for {length:g} s: {', '.join(names)}")


def _answers(seen: Any) -> list[tuple[str, Any]]:
    return [(QUESTIONS["hot"], seen.hot()), (QUESTIONS["larger"], seen.larger())]


def _share(hit: int, read: int) -> str:
    from benchbook.engines.own_server.window import percent

    return percent(hit, hit + read) if hit + read else "none asked for"


def _rows(seen: Any) -> list[list[str]]:
    return [
        [
            table.full_name, f"{blocks.asked:,}", f"{blocks.read:,}", _share(blocks.index_hit, blocks.index_read),
            _share(blocks.heap_hit, blocks.heap_read),
        ]
        for table, blocks in seen.tables
    ]  # fmt: skip


def _statements(seen: Any) -> list[list[str]]:
    return [
        [
            str(each.id), f"{each.calls:,}", f"{(each.hit + each.read) / each.calls:,.1f}",
            f"{each.read / each.calls:,.2f}", f"{each.ms / each.calls:,.3g}", _share(each.hit, each.read),
        ]
        for each in (seen.statements or [])[:STATEMENTS]
    ]  # fmt: skip


def _said(seen: Any) -> str:
    """The window, the pool, and how many different blocks were asked for."""
    said = f"Seen in {seen.seconds:.0f} s; the pool has {seen.mib(seen.pool_blocks)}"
    if seen.unused is not None:
        said += f", of which {seen.mib(seen.unused) if seen.unused else 'nothing'} was unused at the start"
    if seen.distinct is None:
        return f"{said}."
    least, most = seen.distinct
    return f"{said}. Between {least:,} and {most:,} different blocks were asked for, {seen.mib(most)} at most."


def _print(seen: Any) -> None:
    for question, given in _answers(seen):
        typer.echo(f"{typer.style(question, bold=True)} {given.word.capitalize()}. {given.because}")
    typer.echo(_said(seen) + "\n")
    print_table(COLUMNS, _rows(seen))
    statements = _statements(seen)
    if statements:
        typer.echo("")
        print_table(STATEMENT_COLUMNS, statements)
    for each in seen.notes:
        typer.echo(each)


def _record(seen: Any) -> dict[str, Any]:
    """All that was seen, in blocks and seconds, and the answers."""
    return {
        "seconds": seen.seconds, "block_bytes": seen.block_bytes, "pool_blocks": seen.pool_blocks,
        "unused_blocks": seen.unused,
        "different_blocks": None if seen.distinct is None else dict(zip(("least", "most"), seen.distinct, strict=True)),
        "answers": {name: asdict(given) for name, (_, given) in zip(QUESTIONS, _answers(seen), strict=True)},
        "tables": [
            {"table": table.full_name, "heap_bytes": table.heap_bytes, "index_bytes": table.index_bytes}
            | blocks._asdict()
            for table, blocks in seen.tables
        ],
        "statements": None if seen.statements is None else [each._asdict() for each in seen.statements[:STATEMENTS]],
        "notes": seen.notes,
    }  # fmt: skip


def _page(seen: Any) -> str:
    from jinja2 import Environment  # late: few ask for a page

    shares = [
        round(blocks.heap_hit / every, 4) if (every := blocks.heap_hit + blocks.heap_read) else None
        for _, blocks in seen.tables
    ]
    return Environment(autoescape=True).from_string(PAGE).render(
        answers=_answers(seen), seen=_said(seen), columns=COLUMNS, rows=[*zip(_rows(seen), shares, strict=True)],
        statement_columns=STATEMENT_COLUMNS, statements=_statements(seen), notes=seen.notes,
    )  # fmt: skip
