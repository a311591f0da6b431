"""What do hot keys save where every trip and every block that is not cached crosses a network?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Hot keys over a network", engine="PostgreSQL", version=1, device=True)
