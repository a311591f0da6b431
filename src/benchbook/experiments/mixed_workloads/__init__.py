"""What do the note's index and its options of RocksDB do to writes, and to reads and writes together?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(
    __name__, __doc__, "Reads and writes together", engine="RocksDB, SQLite and LMDB", version=2, device=True
)
