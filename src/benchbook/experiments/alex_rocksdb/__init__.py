"""Does a learned index before RocksDB make the store the bottleneck, and what did the note's programs really time?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "ALEX before RocksDB", engine="RocksDB", version=2)
