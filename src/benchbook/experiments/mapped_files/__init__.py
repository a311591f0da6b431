"""What does a look-up cost where memory holds a part of the data, and how much of that is the kernel's read-ahead?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(
    __name__, __doc__, "Mapped files and read-ahead", engine="Value file, SQLite, LMDB, RocksDB", version=1, device=True
)
