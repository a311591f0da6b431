"""The chapter's sentences with numbers, computed from the notes' data."""

from __future__ import annotations

from benchbook.claims import chapter_claims
from benchbook.experiments import notes
from benchbook.experiments.notes_reanalysis import runs
from benchbook.experiments.notes_reanalysis.summary import Summary
from benchbook.figures import Prose, with_interval
from benchbook.model import Outcome, Verdict


def answer(summary: Summary, verdicts: list[Verdict]) -> Prose:
    """What was found, in a few sentences."""
    counts = {outcome: sum(verdict.outcome is outcome for verdict in verdicts) for outcome in Outcome}
    mean = summary.validation.estimate
    sd = summary.sd
    standing = [pair for pair in summary.pairs if pair.stands_out(sd)]
    return Prose(
        f"Of {len(verdicts)} statements, {counts[Outcome.REPRODUCED]} follow from the notes' own numbers or are "
        f"confirmed by their repositories, {counts[Outcome.CONTRADICTED]} do not, {counts[Outcome.NOT_TESTABLE]} need "
        f"something that we do not have, {counts[Outcome.NOT_A_MEASUREMENT]} are opinions. The only configuration with "
        f"more than one run is that of round 2 in note 003: five further runs average {mean.point:,.0f} TPS "
        f"[{mean.low:,.0f}, {mean.high:,.0f}], not the round's {_round(2):,.0f}. If runs were known to spread by "
        f"{100 * sd:g} %, {len(standing)} of the {len(summary.pairs)} changes from one run to another would exceed "
        "chance; their cause would still be open, because several things changed each time."
    )


def cliffs(summary: Summary) -> Prose:
    """Where the note and the rule differ about the cliffs."""
    labels = notes.table("c8gb_timeline")
    starts = labels[labels["label"].fillna("").str.startswith("cliff")].set_index("run")["t_s"]
    parts = [f"run {run}: {start} s" for run, start in starts.items()]
    rule = [f"run {each.run}: {each.cliff}" for each in summary.timelines if each.note == "002"]
    return Prose(
        f"Note 002 marks the first lower value ({', '.join(parts)}). By the book's rule, which needs a fall below 70 % "
        f"of the peak that lasts 10 s, it is {'; '.join(rule)}. The rule is designed for single seconds; here each "
        "second gets the mean of its 5 s, and the time is the end of those 5 s."
    )


def changes(summary: Summary) -> Prose:
    """The five runs against the single rounds that the +29 % and -23 % come from."""
    found = summary.validation
    before, third = (runs.against_one(found.tps, _round(number)) for number in (1, 3))
    up, down = (
        notes.number("r8g_changes", "change_percent", round=number, metric="tps") for number in (2, 3)
    )  # fmt: skip
    needed = found.runs_needed
    enough = f"{needed} runs" if needed is not None else "More runs than is practical"
    return Prose(
        f"The note's {up:+g} % compares round 2 with round 1, its {down:+g} % round 3 with round 2: one run each. With "
        f"the five runs of the same configuration instead of round 2, the ratios are {with_interval(before)} to round "
        f"1 and {with_interval(third)} to round 3, if a single run scatters as the five do. Neither change remains "
        "visible. This does not show that there is none: by the raw reports, round 1 ran on data of scale "
        f"{notes.reading('scale_of_round_1'):,.0f}, the others on scale {notes.reading('scale_of_validation'):,.0f}, "
        f"and the note itself says that round 2 began with a warm cache. {enough} of one configuration would give its "
        f"mean to ±{runs.HALF_WIDTH:.0%} at this spread ({found.log_sd:.1%})."
    )


def against(verdicts: list[Verdict]) -> Prose:
    """The statements that do not hold, in the notes' words."""
    claims = chapter_claims("notes_reanalysis")
    lines = [
        f"- {verdict.claim_id}, “{claims[verdict.claim_id].quote}”. {verdict.reason}"
        for verdict in verdicts
        if verdict.outcome is Outcome.CONTRADICTED
    ]
    return Prose("\n".join(lines) or "Every statement that can be decided by reading holds.")


def _round(number: int) -> float:
    return notes.number("r8g_runs", "tps", round=number)
