"""Does throughput suffer from the number of clients, or from the rows that they all update?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "The row that everybody updates", engine="PostgreSQL", version=1, device=True)
