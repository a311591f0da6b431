"""What a build keeps of an executed chapter: the stored chapter and its key."""

import json
from pathlib import Path

from benchbook import files, nofollow
from benchbook.book.assembly import publishing
from benchbook.book.assembly.chapter_plan import Chapter
from benchbook.book.assembly.execution import Result
from benchbook.book.records import inputs


def write(root: Path, chapter: Chapter, result: Result) -> str:
    """Write the chapter, then its key: a key therefore always stands for a whole chapter.

    Gives what its cells wrote to stderr.
    """
    source = nofollow.words(chapter.notebook, levels=nofollow.DATA)
    if result.failure:
        text, complaints = publishing.placeholder(source, chapter.experiment, chapter.published), ""
    else:
        text, complaints = publishing.clean(result.notebook, root)
    chapter.key_path.unlink(missing_ok=True)
    inputs.write_atomically(chapter.target, text)
    record = {
        "key": chapter.key,
        "sha256": files.sha256(chapter.target),
        "duration_s": round(result.duration_s, 1),
        "basis": chapter.basis,
        "published": chapter.published,
    }
    inputs.write_atomically(chapter.key_path, json.dumps(record) + "\n")
    return complaints
