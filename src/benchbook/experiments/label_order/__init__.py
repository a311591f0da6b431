"""Does a label change the latency of a store, or does its place in the sequence?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Label and order", engine="Badger", version=2, device=True)
