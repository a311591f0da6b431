"""Do the note's options of RocksDB do the same on the release that it ran and on the one of this book?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "The note's release of RocksDB", engine="RocksDB", version=1)
