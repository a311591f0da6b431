"""Files read into the OS cache page by page: whole, with all their parts, and through no link."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchbook import files
from benchbook.engines import folios


def test_every_part_of_a_relation_is_cached_and_unchanged(tmp_path: Path) -> None:
    content = bytes(range(256)) * 512
    for name in ("16384", "16384.1", "16385"):
        (tmp_path / name).write_bytes(content)
    folios.read_in_pages([(0, tmp_path / "16384")])
    for name in ("16384", "16384.1"):
        assert files.cached_pages(tmp_path / name).all()
        assert (tmp_path / name).read_bytes() == content


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"x" * 8192)
    (tmp_path / "16384").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="16384"):
        folios.read_in_pages([(0, tmp_path / "16384")])
