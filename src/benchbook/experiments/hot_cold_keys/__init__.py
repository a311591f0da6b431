"""Do hot keys explain the latency that note 000 blames on the database?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Hot versus cold keys", engine="PostgreSQL", version=3, device=True)
