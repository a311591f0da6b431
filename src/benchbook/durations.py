"""Seconds in the short words in which commands and verdicts tell them."""


def duration(seconds: float) -> str:
    """Such as "45 s", "12 min", "3.4 h"."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
