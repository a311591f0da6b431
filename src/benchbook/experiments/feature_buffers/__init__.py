"""Does a larger buffer pool give a feature server more hits and a shorter tail when the memory stays the same?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(
    __name__, __doc__, "A larger buffer pool for feature look-ups", engine="PostgreSQL", version=1, device=True
)
