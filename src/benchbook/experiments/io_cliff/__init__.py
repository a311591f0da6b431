"""Does throughput fall off a cliff as note 002 says, and what makes it fall: pool, dirty data, storage?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "The I/O cliff", engine="PostgreSQL", version=2, device=True)
