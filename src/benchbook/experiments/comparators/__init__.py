"""How far does comparing a cold PostgreSQL with a hot key-value store, as note 000 did, mislead?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "The store it was compared with", engine="PostgreSQL", version=2, device=True)
