"""What becomes of a feature request's latency, and of hot keys, when many clients ask at the same time?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Feature requests by many clients", engine="PostgreSQL", version=1, device=True)
