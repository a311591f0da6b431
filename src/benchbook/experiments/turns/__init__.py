"""How much closer together are two equal configurations when they take turns?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Taking turns", engine="Value file, SQLite, LMDB, RocksDB", version=2)
