"""Was Badger's block cache too small, or could no size have helped?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(
    __name__, __doc__, "Cache sizing", engine="Badger", version=2, device=True, reads=("positive_controls",)
)
