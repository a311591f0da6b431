"""What does each setting change when it is switched on and off while the clients keep writing?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(
    __name__,
    __doc__,
    "Settings, switched under load",
    engine="PostgreSQL",
    version=1,
    device=True,
    reads=("config_ladder",),
)
