"""What chapters of this family say alike of how they measure."""

from __future__ import annotations

from typing import Any


def in_turns(parameters: Any, *, all_of_them: bool = False) -> str:
    """How configurations take turns. parameters: with the fields of TurnParameters.

    all_of_them: whether those without a warm-up do so too.
    """
    p = parameters
    at_once = "lookups without a warm-up follow the filling of their store at once, one configuration after the other"
    return (
        f"Configurations that are compared take turns, at least {p.rounds} of {p.turn_ms} ms each, of which the first "
        f"{p.discard_ms} ms do not count{'' if all_of_them else f'; {at_once}'}. Numbers of lookups are the least that "
        "count."
    )
