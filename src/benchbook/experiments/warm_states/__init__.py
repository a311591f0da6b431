"""What makes a warm server slower without a single read from disk?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Warm and slow", engine="PostgreSQL", version=1, device=True)
