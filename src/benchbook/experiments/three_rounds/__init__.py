"""Does note 003's third round lose what its second gained, on a server that compresses its log as the note's did?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "The three rounds", engine="PostgreSQL", version=1, device=True)
