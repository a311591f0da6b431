"""Do comparisons of settings come out alike on the notes' release of PostgreSQL and on the one of this book?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "The notes' release", engine="PostgreSQL", version=1)
