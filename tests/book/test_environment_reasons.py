"""What failed in the environment: said once above a table, and taken out of the rows that it is said for."""

from __future__ import annotations

from docutils import nodes

from benchbook.book.environment_reasons import own_reason, said_above, shared_causes
from benchbook.book.verdict_table import verdict_table
from benchbook.claims import judge, load_claims
from benchbook.model import Effect, Outcome
from benchbook.project import root
from benchbook.statistics import Gate, environment

CANARY = Gate("canary, hashing 1 MiB", False, 1.0, "the canary moved by more than 0.5% in 6 of 6 blocks")
LITTLE = Gate("Little's law", False, 1.0, "3 of 6 trials miss it by more than 2 %")
EFFECT = Effect(1.1, 1.0, 1.2, 6, "t", scale="ratio", sd=0.1)


def reason(*failed: Gate) -> str:
    """As a claim of the ledger gets it, so that a change of a verdict's words is noticed here."""
    claim = load_claims(root() / "data" / "claims.csv")["C031"]
    sound, words = environment(failed)
    verdict = judge(claim, EFFECT, environment_ok=sound, environment_reason=words)
    assert (verdict.outcome is Outcome.ENVIRONMENT) is bool(failed)
    return verdict.reason


def test_a_cause_of_several_verdicts_is_said_once_and_rows_keep_what_was_found() -> None:
    reasons = [reason(CANARY), reason(CANARY), reason()]
    said = shared_causes(reasons)
    assert said == [f"{CANARY.name}: {CANARY.reason}"]
    own = own_reason(reasons[0], said)
    assert CANARY.reason not in own
    assert own.startswith("The ratio is 1.1")
    assert own.endswith("Left open by the environment (see above).")
    assert own_reason(reasons[2], said) == reasons[2]


def test_a_cause_of_one_verdict_alone_stays_in_its_row() -> None:
    reasons = [reason(CANARY, LITTLE), reason(CANARY)]
    own = own_reason(reasons[0], shared_causes(reasons))
    assert own.endswith(f"(see above); and {LITTLE.name}: {LITTLE.reason}.")
    assert shared_causes([reason(LITTLE)]) == []
    assert own_reason(reason(LITTLE), []) == reason(LITTLE)


def test_the_words_above_count_what_they_leave_open_and_say_what_a_canary_is() -> None:
    alone = ["contradicted", "reproduced", "reproduced", ""]
    (above,) = said_above([reason(CANARY), reason(CANARY), reason(LITTLE), reason()], alone)
    assert [item.astext() for item in above.findall(nodes.list_item)] == [f"Canary, hashing 1 MiB: {CANARY.reason}."]
    assert "leaves 2 of the chapter's 4 claims below open" in above.astext()
    assert "By their intervals alone they would be: 1 reproduced, 1 contradicted." in above.astext()
    assert "small piece of work" in above.astext()
    (other,) = said_above([reason(LITTLE), reason(LITTLE)], ["", ""])
    assert "small piece of work" not in other.astext()
    assert "alone they would" not in other.astext()
    assert said_above([reason(LITTLE), reason()], ["", ""]) == []


def test_a_chapters_table_has_the_words_above_it_and_not_in_its_rows() -> None:
    words = {
        "quote": "a",
        "outcome": str(Outcome.ENVIRONMENT),
        "figure_id": "",
        "reason": reason(CANARY),
        "alone": "reproduced",
    }
    above, table = verdict_table([{**words, "claim_id": "C031"}, {**words, "claim_id": "C032"}])
    assert above.astext().count(CANARY.reason) == 1
    assert CANARY.reason not in table.astext()
    assert table.astext().count("see above") == 2
