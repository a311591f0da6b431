"""Git in folders of tests."""

import subprocess
from pathlib import Path

WHO = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")


def git(folder: Path, *words: str) -> str:
    """What git answers there, as nobody in particular."""
    done = subprocess.run(["git", "-C", folder, *WHO, *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder: Path, message: str) -> None:
    """All that lies there."""
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", message)
