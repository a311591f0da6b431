"""How much of a feature request's latency is waiting for round trips, and which way of asking removes it?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Round trips", engine="PostgreSQL", version=1, device=True)
