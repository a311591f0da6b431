"""What do the notes' prices say about throughput for the money?"""

from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Throughput for the money", kind=Kind.ANALYSIS)
