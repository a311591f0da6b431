"""Do the note's five options of RocksDB make its look-ups faster, and would a second round of tuning?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "RocksDB, tuned", engine="RocksDB and SQLite", version=1)
