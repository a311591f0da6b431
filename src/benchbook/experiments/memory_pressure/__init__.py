"""Does a larger pool help, do nothing or hurt where it takes its memory from the operating system's cache?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "A pool that presses on memory", engine="PostgreSQL", version=1, device=True)
