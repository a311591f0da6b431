"""What do note 002's own raw reports say about its I/O cliff, and about what removed it?"""

from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "What the cliff was", kind=Kind.ANALYSIS)
