"""What does one write more do to the note's store, and to its lead over SQLite, as the store grows?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "One write more", engine="RocksDB and SQLite", version=1)
