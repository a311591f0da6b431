"""Which settings of the two tuning ladders change pgbench's throughput, by how much, and where can each act?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(
    __name__,
    __doc__,
    "The ladder of settings",
    engine="PostgreSQL",
    version=1,
    device=True,
    reads=("positive_controls",),
)
