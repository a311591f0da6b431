"""Execute the notebooks against stored runs into ``book/chapters``; only those whose inputs changed.

Executing a chapter never measures: the kernel is told so by ``BENCHBOOK_MEASURE=never``.
"""

from pathlib import Path

from benchbook.book.assembly import publishing, run_notebook
from benchbook.book.assembly.chapter_plan import Chapter
from benchbook.book.assembly.execution import Failure, Job, Result
from benchbook.book.assembly.progress import Progress
from benchbook.book.assembly.workers import MOST, results
from benchbook.book.parts.directives import LESSONS_FILE, VERDICTS_FILE
from benchbook.book.records import editions, figure_list, figure_records, inputs, run_catalogue
from benchbook.errors import BenchbookError, NoStoredRunError

_EXPECTED_S = 20.0


def execute_all(root: Path, planned: list[Chapter], *, edition: bool, progress: Progress) -> list[Path]:
    """Bring every chapter up to date and collect verdicts and lessons; returns the chapters' paths.

    planned: as ``chapter_plan.plan`` gives them. edition: only published runs are listed among all runs.

    Raises BenchbookError naming each notebook that failed; the chapters that succeeded are kept, and of a failed
    one the last good state, if there is any.
    """
    folder, kept = root / "book" / "chapters", {chapter.experiment for chapter in planned}
    for path in (*folder.glob("*.ipynb"), *folder.glob("*.key.json")):
        if path.name.split(".")[0] not in kept:  # a chapter whose notebook is gone must not stay in the book
            path.unlink()
    execute(root, planned, progress)
    collect(root, planned, edition=edition)
    return [chapter.target for chapter in planned]


def execute(root: Path, planned: list[Chapter], progress: Progress) -> None:
    """Bring these chapters up to date; raises BenchbookError naming each notebook that failed."""
    (root / "book" / "chapters").mkdir(parents=True, exist_ok=True)
    waiting = [chapter for chapter in planned if not chapter.is_current()]
    progress.expect(sum(_expected_s(chapter) for chapter in waiting) / MOST)
    if waiting:
        progress.phase("chapters")
    if failures := _execute_waiting(root, waiting, progress):
        raise _error(failures)


def collect(root: Path, planned: list[Chapter], *, edition: bool) -> None:
    """Write down what pages show of all of these chapters: verdicts, lessons, runs and figures."""
    folder = root / "book" / "chapters"
    texts = [chapter.target.read_text("utf-8") for chapter in planned]
    inputs.write_json(folder / VERDICTS_FILE, [record for text in texts for record in publishing.verdicts(text)])
    inputs.write_json(folder / LESSONS_FILE, [record for text in texts for record in publishing.lessons(text)])
    inputs.write_json(folder / run_catalogue.RUNS_FILE, run_catalogue.rows(published_only=edition))
    targets = [chapter.target for chapter in planned]
    figures = figure_records.of_chapters(root, targets, editions.places(root))
    of_the_book = figure_records.of_steadiness(root, figures) + figure_records.of_performance(root)
    figure_list.write(folder, figures + of_the_book)


def _expected_s(chapter: Chapter) -> float:
    return float(inputs.read_json(chapter.key_path).get("duration_s", _EXPECTED_S))


def _execute_waiting(root: Path, waiting: list[Chapter], progress: Progress) -> list[tuple[Chapter, Failure]]:
    """Take over what `benchbook run` executed with the same inputs, and execute the others."""
    others = []
    for chapter in waiting:
        text = None if chapter.published else run_notebook.saved(chapter.experiment, chapter.parameters)
        if text is None:
            others.append(chapter)
            continue
        expected_s = _expected_s(chapter)
        _tell(progress, chapter, publishing.write(root, chapter, Result(chapter.experiment, expected_s, text)))
        progress.advance(expected_s / MOST)
    failures: list[tuple[Chapter, Failure]] = []
    jobs = [(each, Job.of_stored(root, each.notebook, each.parameters, each.runs)) for each in others]
    for chapter, result in results(jobs):
        expected_s = _expected_s(chapter)
        if result.failure and result.failure.error != NoStoredRunError.__name__:
            failures.append((chapter, result.failure))
            progress.say(f"chapter {chapter.experiment}: failed")
        else:
            complaints = publishing.write(root, chapter, result)
            missing = ", no run to show yet" if result.failure else ""
            progress.say(f"chapter {chapter.experiment}: {result.duration_s:.0f} s{missing}")
            _tell(progress, chapter, complaints)
        progress.advance(expected_s / MOST)
    return failures


def _tell(progress: Progress, chapter: Chapter, complaints: str) -> None:
    if complaints:
        progress.say(f"chapter {chapter.experiment} wrote to stderr:\n{complaints.rstrip()}")


def _error(failures: list[tuple[Chapter, Failure]]) -> BenchbookError:
    lines = [failure.told(chapter.experiment) for chapter, failure in failures]
    mends = list(dict.fromkeys(failure.mend for _, failure in failures if failure.mend))
    if any(not failure.mend for _, failure in failures):
        mends.append("fix the notebook or the code it calls, then build again")
    return BenchbookError("\n".join(lines), "; ".join(mends))
