"""Does pgbench measure contention for rows where its scale is below the number of clients?"""

from benchbook.experiments.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Scale and clients in pgbench", engine="PostgreSQL", version=1, device=True)
