"""What is folded below a figure about its run, or about all of its runs where several are pooled."""

from collections.abc import Mapping
from typing import Any

from docutils import nodes

from benchbook.book.parts.nodes import Folded
from benchbook.book.parts.tables import Cell, table
from benchbook.book.records import pool_words
from benchbook.figures.numbers import with_interval
from benchbook.model import Estimate

_NUMBER = ("point", "low", "high", "n", "method")


def rows(run: Mapping[str, Any]) -> list[list[str]]:
    """Name and value of each fact; "" where it is not known. A record of an earlier edition has no pool or version."""
    pool = run.get("pool")
    return _of_pool(run, pool) if pool and len(pool["runs"]) > 1 else _of_one(run)


def _of_one(run: Mapping[str, Any]) -> list[list[str]]:
    return [
        ["run", run["run_id"]],
        ["pooled with", pool_words.listing(each["run_id"] for each in run["pooled_with"])],
        ["profile", _profile(run)],
        ["measured", f"{_moment(run['measured'])} UTC, in {run['minutes']:g} minutes"],
        ["evidence", f"{run['blocks']} blocks, {run['trials']} trials"],
        ["engine", run["engine"]],
        ["machine", _machine(run)],
        ["hosts of all its runs", run.get("mixes", "")],
        ["version of the measurement", str(run.get("version", ""))],
        ["commit", run["commit"]],
        *([f"SHA-256 of {name}", digest] for name, digest in run["files"].items()),
    ]


def _of_pool(run: Mapping[str, Any], pool: Mapping[str, Any]) -> list[list[str]]:
    commits = (f"{each['commit']} ({pool_words.many(each['blocks'], 'block')})" for each in pool["commits"])
    began = _moment(pool["started"])
    return [
        ["runs, pooled", pool_words.listing(pool["runs"])],
        ["profile", _profile(run)],
        ["measured", f"from {began} to {_moment(pool['finished'])} UTC, in {pool['minutes']:g} minutes"],
        ["evidence", f"{pool_words.blocks(pool)}, {pool['trials']:,} trials"],
        ["engine", run["engine"]],
        ["machines", run.get("mixes") or pool_words.hosts(pool)],
        ["version of the measurement", str(run.get("version", ""))],
        ["commits" if len(pool["commits"]) > 1 else "commit", pool_words.listing(commits)],
    ]


def every(record: Mapping[str, Any]) -> list[nodes.Node]:
    """One row for each run of a pool, with what it recorded of itself, folded; nothing below a figure of one run."""
    run = record["run"]
    pool = run.get("pool")
    if not pool or len(pool["runs"]) < 2:
        return []
    known = {each["run_id"]: each for each in (*run["pooled_with"], run)}
    columns = ["run", "finished (UTC)", "minutes", "blocks", "trials", "visit", "machine", "commit", "files, SHA-256"]
    body: list[list[Cell]] = []
    for name in pool["runs"]:
        each = known[name]
        visits = pool_words.listing(str(number + 1) for number in pool["visits_of"][name])
        files = "; ".join(f"{file} {digest}" for file, digest in each["files"].items())
        told = [_moment(each["measured"]), f"{each['minutes']:g}", str(each["blocks"]), f"{each['trials']:,}"]
        body.append([nodes.literal("", name), *told, visits, _machine(each), each["commit"], files])
    part: Folded = Folded(summary=f"Each of its {len(pool['runs'])} runs")
    part += table(columns, body, ["benchbook-data-table"])
    return [part]


def by_host(record: Mapping[str, Any]) -> list[nodes.Node]:
    """Numbers of the figure's claims on each kind of host or condition, where the chapter gives them."""
    body: list[list[Cell]] = [
        [
            claim["claim_id"],
            each["name"],
            with_interval(Estimate(**{name: each[name] for name in _NUMBER})),
            f"{each['blocks']}",
            f"{each['visits']}",
            each["outcome"],
        ]
        for claim in record.get("by_host", ())
        for each in claim["hosts"]
    ]
    if not body:
        return []
    words = "These claims have a number for each kind of host, or for each condition that they leave out:"
    columns = ["claim", "host or condition", "number with its interval", "blocks", "visits", "verdict there"]
    return [nodes.paragraph("", words), table(columns, body, ["benchbook-data-table"])]


def took(run: Mapping[str, Any]) -> str:
    """How long measuring took, as the end of a sentence; "" where nobody knows."""
    pool = run.get("pool")
    if pool and len(pool["runs"]) > 1 and pool["minutes"]:
        return f"; its {len(pool['runs'])} runs took {pool['minutes']:g} minutes together on the machines above"
    return f"; this run took {run['minutes']:g} minutes on the machine above" if run["minutes"] else ""


def _profile(run: Mapping[str, Any]) -> str:
    return f"{run['profile']}, {'published' if run['published'] else 'local'}"


def _moment(told: str) -> str:
    return told.replace("T", " ").replace("+00:00", "")


def _machine(run: Mapping[str, Any]) -> str:
    return f"{run['host']}{f'; id {id_}' if (id_ := run.get('machine')) else ''}"
