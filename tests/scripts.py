"""Scripts of setup/ on machines of a test's own: stand-ins for programs, and a PATH that holds what is put there."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]


def program(path: Path, script: str) -> Path:
    """A shell script that can be called, in place of what was there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def link(folder: Path, *names: str) -> None:
    """Put those of these programs there that this machine has."""
    folder.mkdir(exist_ok=True)
    for name in names:
        if path := shutil.which(name):
            (folder / name).symlink_to(path)


def call(script: Path, *options: str, path: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run it with this PATH and these variables; its home is the folder above setup/."""
    environment = {"PATH": str(path), "HOME": str(script.parents[1]), **variables}
    return subprocess.run(
        [script, *options], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
