"""Can the intervals and verdicts of this book be trusted?"""

from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Can these intervals be trusted?", version=8, kind=Kind.SIMULATION)
