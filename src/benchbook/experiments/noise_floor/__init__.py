"""How far apart are two trials of the very same configuration on this machine?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "The noise floor", engine="PostgreSQL", version=1, device=True)
