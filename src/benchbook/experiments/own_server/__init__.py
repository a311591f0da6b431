"""Does your own PostgreSQL tell warmed keys from others, and how much do round trips cost there?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "A server of your own", engine="PostgreSQL", version=1)
