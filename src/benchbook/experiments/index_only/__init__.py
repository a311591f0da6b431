"""What do updates do to index-only scans, and how many of them does it take?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Index-only scans under updates", engine="PostgreSQL", version=1, device=True)
