"""How much closer together do the blocks of a comparison lie when configurations take turns?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Taking turns", engine="Value file, SQLite, LMDB, RocksDB", version=2)
