"""How should a Badger store be set that is larger than the memory it has?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "A store beyond memory", engine="Badger", version=1, device=True)
