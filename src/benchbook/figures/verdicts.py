"""What a notebook shows of verdicts: a table for the page, a list for the book's verdict table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from benchbook.model import Estimate, OnHost, Retest, Verdict

if TYPE_CHECKING:  # the book's extension imports this module and needs none of the statistics behind the claims
    from benchbook.claims import Claim

VERDICTS_MIME_TYPE = "application/vnd.benchbook.verdicts+json"
"""A list of records: the fields of a verdict, and of its claim the quote, the estimand and the amendments."""

_PLAIN = ("claim_id", "reason", "rests_on", "error", "allowed", "quiet", "why", "visits", "look", "visits_needed",
          "figure_id")  # fmt: skip


@dataclass(frozen=True)
class VerdictTable:
    """The verdicts of one chapter, in the ledger's order, each with the words of the claim."""

    chapter: str
    verdicts: tuple[Verdict, ...]
    claims: Mapping[str, Claim]

    @classmethod
    def of(cls, chapter: str, verdicts: Iterable[Verdict], claims: Mapping[str, Claim]) -> VerdictTable:
        """chapter: the experiment's name. claims: the ledger, or the chapter's part of it, by claim id."""
        return cls(chapter, tuple(verdicts), claims)

    def records(self) -> list[dict[str, Any]]:
        """One plain record per verdict."""
        return [
            {
                **{name: getattr(verdict, name) for name in _PLAIN},
                "quote": self.claims[verdict.claim_id].quote,
                "outcome": str(verdict.outcome),
                "estimate": _number(verdict.estimate) if verdict.estimate else None,
                "failed": [*verdict.failed],
                "evidence": str(verdict.evidence),
                "processors": [*verdict.processors],
                "hosts": [_on_host(each) for each in verdict.hosts],
                "retest": _retest(verdict.retest) if verdict.retest else None,
                "estimand": self.claims[verdict.claim_id].estimand,
                "amendments": [asdict(change) for change in self.claims[verdict.claim_id].amendments],
                "chapter": self.chapter,
            }
            for verdict in self.verdicts
        ]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        records = self.records()
        columns = ("claim_id", "quote", "outcome", "reason")
        head = "".join(f"<th>{escape(column.replace('_', ' '))}</th>" for column in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(record[column])}</td>" for column in columns) + "</tr>" for record in records
        )
        return {
            VERDICTS_MIME_TYPE: records,
            "text/html": f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>",
            "text/plain": "\n".join(f"{each['claim_id']}  {each['outcome']}: {each['reason']}" for each in records),
        }


def _on_host(found: OnHost) -> dict[str, Any]:
    """One kind of host as a plain record."""
    plain = {"name": found.name, "told": found.told, "blocks": found.blocks, "visits": found.visits}
    return plain | {"outcome": str(found.outcome)} | _number(found.estimate)


def _retest(found: Retest) -> dict[str, Any]:
    """What a later visit says, as a plain record."""
    plain = {"answer": str(found.answer), "outcome": str(found.outcome), "low": found.low, "high": found.high}
    return plain | {"before": _number(found.before), "now": _number(found.now)}


def _number(estimate: Estimate) -> dict[str, Any]:
    return {name: getattr(estimate, name) for name in ("point", "low", "high", "n", "method")}
