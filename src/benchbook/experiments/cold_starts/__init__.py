"""How does note 003's server warm up when its disk is slow for its clients, and do its five settings shorten that?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(
    __name__,
    __doc__,
    "Cold starts on a slow volume",
    engine="PostgreSQL",
    version=1,
    device=True,
    reads=("config_ladder",),
)
