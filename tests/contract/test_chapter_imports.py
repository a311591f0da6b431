"""What two chapters have in common stands in their family."""

from __future__ import annotations

from itertools import permutations

import grimp

from benchbook import lab


def test_no_chapter_imports_another() -> None:
    graph = grimp.build_graph("benchbook", cache_dir=None)
    packages = [lab.experiment(name).package for name in lab.names()]
    assert len(packages) > 20
    found = [
        f"{one} imports {other}"
        for one, other in permutations(packages, 2)
        if graph.direct_import_exists(importer=one, imported=other, as_packages=True)
    ]
    assert found == [], "move what both need into their family"
