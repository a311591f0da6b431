"""What the chapter teaches."""

from __future__ import annotations

from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.turns.prose import NUMBERS, closer, verdict

LESSON = Teaching(
    verdict,
    figure="fig-turns-spread",
    claimed="Nothing by the notes, which ran one thing after the other. This book claims that turns meet the same "
    "machine.",
    advice="Let what you compare take turns: both then share what the machine does. Where configurations can live side "
    "by side, measure each for some milliseconds, round after round in random order, and drop the start of each turn.",
    numbers=NUMBERS,
    besides=(closer,),
)
