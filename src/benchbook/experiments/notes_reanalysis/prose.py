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
        f"Of {len(verdicts)} statements, {counts[Outcome.REPRODUCED]} follow from the notes' own numbers or stand in "
        f"their repositories, {counts[Outcome.CONTRADICTED]} do not, {counts[Outcome.NOT_TESTABLE]} would need what we "
        f"do not have, {counts[Outcome.NOT_A_MEASUREMENT]} are opinions. The only configuration with more than one run "
        f"is that of round 2 in note 003: five further runs average {mean.point:,.0f} TPS "
        f"[{mean.low:,.0f}, {mean.high:,.0f}], not the round's {_round(2):,.0f}. Were runs known to spread by "
        f"{100 * sd:g} %, {len(standing)} of the {len(summary.pairs)} changes from one run to one run would stand out "
        "from chance; what caused them would still be open, for in each case several things changed between the two."
    )


def cliffs(summary: Summary) -> Prose:
    """Where the note and the rule differ about the cliffs."""
    labels = notes.table("c8gb_timeline")
    starts = labels[labels["label"].fillna("").str.startswith("cliff")].set_index("run")["t_s"]
    parts = [f"run {run}: {start} s" for run, start in starts.items()]
    rule = [f"run {each.run}: {each.cliff}" for each in summary.timelines if each.note == "002"]
    return Prose(
        f"Note 002 marks the first lower value ({', '.join(parts)}). By the book's rule, which waits for a fall below "
        f"70 % of the peak that lasts 10 s, it is {'; '.join(rule)}. The rule is made for single seconds; here each "
        "second gets the mean of its 5 s, and the end of those 5 s is named."
    )


def changes(summary: Summary) -> Prose:
    """The five runs against the single rounds that the +29 % and -23 % come from."""
    found = summary.validation
    before, third = (runs.against_one(found.tps, _round(number)) for number in (1, 3))
    up, down = (
        notes.number("r8g_changes", "change_percent", round=number, metric="tps") for number in (2, 3)
    )  # fmt: skip
    needed = found.runs_needed
    enough = f"{needed} runs" if needed is not None else "More runs than can be made"
    return Prose(
        f"The note's {up:+g} % compares round 2 with round 1, its {down:+g} % round 3 with round 2: one run each. Put "
        f"the five runs of the same configuration in round 2's place, and they are {with_interval(before)} times round "
        f"1 and {with_interval(third)} times round 3, if a single run scatters as the five do. Neither change is to be "
        "seen any more. Nor is it shown that there is none: by the raw reports round 1 ran on data of scale "
        f"{notes.reading('scale_of_round_1'):,.0f}, the others on scale {notes.reading('scale_of_validation'):,.0f}, "
        "and the note itself says that round 2 began with a warm cache. "
        f"{enough} of one configuration would give its mean to ±{runs.HALF_WIDTH:.0%} at this spread "
        f"({found.log_sd:.1%})."
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
