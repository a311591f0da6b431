"""After a restart, what does each way to warm the buffer pool cost, and what does it bring to the first requests?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Ways to warm a restarted server", engine="PostgreSQL", version=1, device=True)
