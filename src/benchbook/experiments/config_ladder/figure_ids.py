"""The ids of the figures, which answers and figures share; unique in the book and never used again."""

SINGLES, OF_B, SCREENING = (
    "fig-config-ladder-settings-003", "fig-config-ladder-settings-002", "fig-config-ladder-combinations",
)  # fmt: skip
ROUNDS, COURSES = "fig-config-ladder-rounds", "fig-config-ladder-courses"
WORKERS, CLAIMED = "fig-config-ladder-claims-002", "fig-config-ladder-claims-003"
