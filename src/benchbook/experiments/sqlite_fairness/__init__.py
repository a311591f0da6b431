"""How much of the speed-up over SQLite is the way in which SQLite was used?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Faster than which SQLite?", engine="SQLite and RocksDB", version=4)
