"""Wall time of ``benchbook build --edition`` by number of chapters, from nothing, after one change and after none."""

import json
import shutil
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from benchbook import lab, project, temporary
from benchbook.bench import programs
from benchbook.bench.measured import Contestant, Measured, Pair, Say, Sizes, interleaved
from benchbook.bench.record import Timing, timing
from benchbook.errors import BenchbookError

COLD_TARGET_S, WARM_TARGET_S = 90.0, 15.0
SEED = 1
_CHAPTERS = "book/chapters/"
_COPIED = ("_config.yml", "CITATION.cff", "CHANGELOG.md", "data", "src", "requirements.lock")
_TIMEOUT_S = 1_800


class Copy:
    """A copy of the project with some of its chapters, in which the book is built again and again."""

    def __init__(self, root: Path, folder: Path, chapters: Sequence[str]) -> None:
        self.folder = folder
        self.pages_s: list[float] = []
        """Of each build: seconds of its second phase, rendering, as the build itself recorded them."""
        folder.mkdir()
        for name in _COPIED:
            source = root / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.is_file():
                shutil.copyfile(source, folder / name)
        shutil.copytree(root / "book", folder / "book", ignore=shutil.ignore_patterns("chapters"))
        (folder / "notebooks").mkdir()
        for name in chapters:
            shutil.copyfile(root / "notebooks" / f"{name}.ipynb", folder / "notebooks" / f"{name}.ipynb")
        contents = yaml.safe_load((root / "_toc.yml").read_text("utf-8"))
        (folder / "_toc.yml").write_text(yaml.safe_dump(with_chapters(contents, chapters)), encoding="utf-8")

    def cold(self) -> float:
        """From nothing but the published runs."""
        for name in ("_build", "book/chapters"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        return self.build()

    def text_changed(self) -> float:
        """After a sentence was added to a page of prose."""
        with (self.folder / "book" / "glossary.md").open("a", encoding="utf-8") as page:
            page.write("\nOne sentence more.\n")
        return self.build()

    def build(self) -> float:
        """Seconds of one build in the state that the copy is in."""
        command, where = programs.benchbook("build", "--edition", "--quiet"), {"BENCHBOOK_HOME": str(self.folder)}
        seconds = programs.seconds(command, self.folder, where, timeout_s=_TIMEOUT_S)
        record = json.loads((self.folder / "_build" / "book.key.json").read_text("utf-8"))
        self.pages_s.append(float(record["duration_s"]))
        return seconds


def measure(sizes: Sizes, say: Say) -> Measured:
    """Raises BenchbookError when no run is published, and when the book cannot be built."""
    root = project.root()
    every = published_chapters(root)
    if not every:
        raise BenchbookError("no run is published, so there is no edition to build", "publish one first")
    numbers = sorted({min(number or len(every), len(every)) for number in sizes.chapters})
    with temporary.folder("bench") as made:
        copies = {number: Copy(root, made / f"cold-{number}", every[:number]) for number in numbers}
        largest = numbers[-1]
        settled = Copy(root, made / "settled", every[:largest])
        settled.cold()
        say("the copies are made")
        contestants: dict[str, Contestant] = {f"cold-{number}": copies[number].cold for number in numbers}
        contestants["changed"] = settled.text_changed
        contestants["warm"] = settled.build  # whichever came before it has left everything up to date
        seconds = interleaved(contestants, sizes.repeats, seed=SEED, say=say, warm_ups=0)
    pages = copies[largest].pages_s
    rest = [whole - part for whole, part in zip(seconds[f"cold-{largest}"], pages, strict=True)]
    timings = [_cold(number, seconds[f"cold-{number}"], len(every)) for number in numbers]
    of_it, after = f"of that with {_chapters(largest)}", f"was changed, {_chapters(largest)}"
    warm = seconds["warm"]
    target_s = WARM_TARGET_S if largest == len(every) else None
    timings += [
        timing("executing", f"{of_it}: start and executing the chapters", rest),
        timing("pages", f"{of_it}: rendering the pages", pages),
        timing("changed", f"after a sentence {after}", seconds["changed"], short="one sentence changed"),
        timing("warm", f"after nothing {after}", warm, target_s, short="nothing changed"),
    ]
    pairs = [Pair(f"cold-{number}", f"cold-{numbers[0]}", main=True) for number in numbers[1:]]
    pairs += [Pair(name, f"cold-{largest}", main=True) for name in ("changed", "warm")]
    versions = {name: metadata.version(name) for name in ("jupyter-book", "sphinx", "papermill")}
    return Measured(tuple(timings), tuple(pairs), {"chapters of the book": len(every)}, versions)


def _cold(number: int, seconds: list[float], every: int) -> Timing:
    target_s = COLD_TARGET_S if number == every else None
    return timing(f"cold-{number}", f"from nothing, {_chapters(number)}", seconds, target_s, short=_chapters(number))


def published_chapters(root: Path) -> list[str]:
    """Notebooks that have something to show in an edition: first those with a published run, then the analyses."""
    names = sorted(path.stem for path in (root / "notebooks").glob("*.ipynb"))
    published = [name for name in names if any((root / "data" / "published" / name).glob("*/run.json"))]
    return published + [name for name in names if name in lab.analyses()] if published else []


def with_chapters(contents: Any, chapters: Sequence[str]) -> Any:
    """A table of contents with all prose pages and these chapters; parts that are left empty are dropped."""
    if isinstance(contents, dict):
        kept = {key: with_chapters(value, chapters) for key, value in contents.items()}
        return {key: value for key, value in kept.items() if value != []}
    if isinstance(contents, list):
        entries = [with_chapters(entry, chapters) for entry in contents if not _left_out(entry, chapters)]
        return [entry for entry in entries if set(entry) != {"caption"} and set(entry) != {"caption", "numbered"}]
    return contents


def _left_out(entry: Any, chapters: Sequence[str]) -> bool:
    file = str(entry.get("file", ""))
    return file.startswith(_CHAPTERS) and file.removeprefix(_CHAPTERS) not in chapters


def _chapters(number: int) -> str:
    return "1 chapter" if number == 1 else f"{number} chapters"
