"""Whether code is told to be changed or new."""

from __future__ import annotations

import subprocess
from pathlib import Path

from benchbook.provenance.code import dirty


def test_code_that_no_commit_holds_is_told_changed_or_new(tmp_path: Path) -> None:
    assert dirty(tmp_path) is None

    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "src").mkdir()
    module = tmp_path / "src" / "one.py"
    module.write_text("a = 1\n")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "one")
    (tmp_path / "notes.txt").write_text("no code\n")
    assert dirty(tmp_path) is False
    sums = tmp_path / "data" / "published" / "SHA256SUMS"
    sums.parent.mkdir(parents=True)
    sums.touch()
    git("add", ".")
    git("commit", "--quiet", "-m", "no runs")
    sums.write_text("a run that was just published\n")
    assert dirty(tmp_path) is False
    (tmp_path / "src" / "two.py").write_text("b = 2\n")
    assert dirty(tmp_path) is True
    (tmp_path / "src" / "two.py").unlink()
    module.write_text("a = 2\n")
    assert dirty(tmp_path) is True
    assert dirty(tmp_path, but=Path("src/one.py")) is False
