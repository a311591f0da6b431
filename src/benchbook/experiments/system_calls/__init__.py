"""How much of "faster than SQLite" is the host's price of a system call?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "The price of a system call", engine="SQLite, RocksDB", version=1)
