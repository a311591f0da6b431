"""What do checkpoints cost while the clients write, and what does it cost to put them off?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Checkpoints put off", engine="PostgreSQL", version=1, device=True)
