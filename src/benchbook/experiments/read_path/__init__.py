"""Is an index over a value file, without RocksDB on the read path, as fast as the note hoped, and faster than what?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(
    __name__, __doc__, "The read path without RocksDB", engine="Value file, SQLite, LMDB, RocksDB", version=6
)
