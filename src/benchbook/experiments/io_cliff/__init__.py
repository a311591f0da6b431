"""Does throughput fall off a cliff as note 002 says, and what makes it fall: dirty data, the pool, checkpoints?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "The I/O cliff", engine="PostgreSQL", version=1, device=True)
