"""How do clients, threads, protocol and a pooler change pgbench's throughput, and what do clients wait for?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "How many clients, and through what", engine="PostgreSQL", version=1, device=True)
