"""What do note 003's own raw reports say about its three rounds, and about cold and warm caches?"""

from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "What the rounds were", kind=Kind.ANALYSIS)
