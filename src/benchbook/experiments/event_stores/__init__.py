"""Is an event store on SQLite faster than one on Badger, and what would make the difference?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(
    __name__, __doc__, "Event stores", engine="Badger, SQLite, LMDB, bbolt and Pebble", version=1, device=True
)
