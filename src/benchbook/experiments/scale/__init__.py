"""Does the learned index's lead over SQLite shrink with the number of rows, and what does the note's column add up?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Scale", engine="RocksDB and SQLite", version=2)
