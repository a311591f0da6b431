"""Do the counters that stood still under a note's setting move where that setting must act?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Can the setting act?", engine="PostgreSQL, Badger", version=2)
