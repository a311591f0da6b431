"""Is it the kernel's limit of dirty data that makes throughput fall, and does a higher limit make it fall later?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "The limit that makes the fall", engine="PostgreSQL", version=1, device=True)
