"""Notebooks and stored runs in, executed chapters in ``book/chapters`` out; only those whose inputs changed.

Executing a chapter never measures: the kernel is told so by ``BENCHBOOK_MEASURE=never``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchbook import files
from benchbook.book import editions, figure_records, inputs, publishing, run_catalogue
from benchbook.book.chapter_plan import Chapter, plan
from benchbook.book.execution import Failure, Job, Result, end_with_parent, execute
from benchbook.book.lesson_page import LESSONS_FILE
from benchbook.book.progress import Progress
from benchbook.book.verdict_table import VERDICTS_FILE
from benchbook.errors import BenchbookError, NoStoredRunError

WORKERS = 2
_EXPECTED_S = 20.0


def execute_all(root: Path, *, edition: bool, profile: str, progress: Progress) -> list[Path]:
    """Bring every chapter up to date and collect verdicts and lessons; returns the chapters' paths.

    Raises BenchbookError naming each notebook that failed; the chapters that succeeded are kept, and of a failed
    one the last good state, if there is any.
    """
    planned = plan(root, edition=edition, profile=profile)
    folder = root / "book" / "chapters"
    folder.mkdir(parents=True, exist_ok=True)
    _remove_others(folder, {chapter.experiment for chapter in planned})
    waiting = [chapter for chapter in planned if not chapter.is_current()]
    progress.expect(sum(_expected_s(chapter) for chapter in waiting) / WORKERS)
    failures = _execute_waiting(root, waiting, progress) if waiting else []
    if failures:
        raise _error(failures)
    texts = [chapter.target.read_text("utf-8") for chapter in planned]
    _collect(folder / VERDICTS_FILE, [record for text in texts for record in publishing.verdicts(text)])
    _collect(folder / LESSONS_FILE, [record for text in texts for record in publishing.lessons(text)])
    run_catalogue.write(folder, run_catalogue.rows(folder, published_only=edition))
    targets = [chapter.target for chapter in planned]
    figures = figure_records.of_chapters(root, targets, editions.places(root))
    figure_records.write(folder, figures + figure_records.of_performance(root))
    return [chapter.target for chapter in planned]


def _collect(path: Path, records: list[dict[str, Any]]) -> None:
    inputs.write_atomically(path, json.dumps(records, indent=1, ensure_ascii=False) + "\n")


def _remove_others(folder: Path, experiments: Iterable[str]) -> None:
    """A chapter whose notebook is gone must not stay in the book."""
    kept = set(experiments)
    for path in (*folder.glob("*.ipynb"), *folder.glob("*.key.json")):
        if path.name.split(".")[0] not in kept:
            path.unlink()


def _expected_s(chapter: Chapter) -> float:
    return float(inputs.read_json(chapter.key_path).get("duration_s", _EXPECTED_S))


def _execute_waiting(root: Path, waiting: list[Chapter], progress: Progress) -> list[tuple[Chapter, Failure]]:
    failures: list[tuple[Chapter, Failure]] = []
    # Spawned, not forked: a fork would copy locks held by threads of whoever calls this.
    context = get_context("spawn")
    with ProcessPoolExecutor(min(WORKERS, len(waiting)), context, initializer=end_with_parent) as pool:
        for chapter, result in _finished(pool, root, waiting):
            expected_s = _expected_s(chapter)
            if result.failure and result.failure.error != NoStoredRunError.__name__:
                failures.append((chapter, result.failure))
                progress.say(f"chapter {chapter.experiment}: failed")
            else:
                complaints = _store(root, chapter, result)
                missing = ", no run to show yet" if result.failure else ""
                progress.say(f"chapter {chapter.experiment}: {result.duration_s:.0f} s{missing}")
                if complaints:
                    progress.say(f"chapter {chapter.experiment} wrote to stderr:\n{complaints.rstrip()}")
            progress.advance(expected_s / WORKERS)
    return failures


def _finished(pool: Executor, root: Path, waiting: list[Chapter]) -> Iterable[tuple[Chapter, Result]]:
    jobs = {pool.submit(execute, _job(root, chapter)): chapter for chapter in waiting}
    try:
        for future in as_completed(jobs):
            yield jobs[future], future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _job(root: Path, chapter: Chapter) -> Job:
    environment = {
        "BENCHBOOK_HOME": str(root),
        "BENCHBOOK_SOURCE": "published" if chapter.edition else "local",
        "BENCHBOOK_MEASURE": "never",
    }
    return Job(chapter.experiment, chapter.notebook, chapter.parameters, environment)


def _store(root: Path, chapter: Chapter, result: Result) -> str:
    """Write the chapter, then its key: a key therefore always stands for a whole chapter."""
    source = chapter.notebook.read_text("utf-8")
    if result.failure:
        text, complaints = publishing.placeholder(source, chapter.experiment, chapter.edition), ""
    else:
        text, complaints = publishing.clean(result.notebook, root)
    chapter.key_path.unlink(missing_ok=True)
    inputs.write_atomically(chapter.target, text)
    record = {"key": chapter.key, "sha256": files.sha256(chapter.target), "duration_s": round(result.duration_s, 1)}
    inputs.write_atomically(chapter.key_path, json.dumps(record) + "\n")
    return complaints


def _error(failures: list[tuple[Chapter, Failure]]) -> BenchbookError:
    lines = [
        f"notebooks/{chapter.experiment}.ipynb stopped at cell {failure.cell} ({failure.source}): "
        f"{failure.error}: {failure.message}"
        for chapter, failure in failures
    ]
    return BenchbookError("\n".join(lines), "mend the notebook or what it calls, then build again")
