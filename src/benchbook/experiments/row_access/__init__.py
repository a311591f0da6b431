"""Does asking for fewer columns, or clustering tables on a hash key, keep more in the cache and cost fewer reads?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Columns and order: what a row costs", engine="PostgreSQL", version=1, device=True)
