"""What can the notes' own numbers support, most of them from a single run?"""

from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "What the notes' own numbers support", kind=Kind.ANALYSIS)
