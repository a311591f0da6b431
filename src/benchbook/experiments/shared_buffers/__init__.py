"""Does a larger buffer pool make PostgreSQL faster, and how large is too large?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "How large a buffer pool", engine="PostgreSQL", version=2, device=True)
