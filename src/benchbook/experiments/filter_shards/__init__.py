"""When does a RocksDB block cache turn away the filters that it should hold?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Filters and shards", engine="RocksDB", version=1)
