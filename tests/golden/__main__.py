"""What every chapter says of the published runs, before and after a change that must not alter it.

    python -m tests.golden keep FILE [CHAPTER ...]      write it as JSON, of all chapters in some minutes
    python -m tests.golden compare FILE [CHAPTER ...]   print what is otherwise with the code as it is now

Numbers, verdicts, captions, findings, tables, drawings, sentences, first screen and lesson, to the letter; and what is
measured: parameters, configurations, plan, needs. Exits with 1 on a difference.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchbook import lab
from benchbook.errors import BenchbookError
from benchbook.experiments import chosen_runs
from benchbook.parameters.kinds import Kind


def told(name: str) -> dict[str, Any]:
    """All that a chapter says of its published run, by what says it."""
    chapter: Any = lab.experiment(name)
    run = None if chapter.kind is Kind.ANALYSIS else chosen_runs.run(chapter)
    found: dict[str, Any] = {"parameters": chapter.Parameters.model_json_schema()}
    if chapter.kind is not Kind.ANALYSIS:
        found |= measured(chapter)
        if run is None:
            return found
    summary = chapter.summarize(chapter.Parameters() if run is None else run)
    lesson = chapter.lesson(summary)
    found |= {"lesson": repr(lesson), "numbers": lesson.numbers, "opening": repr(chapter.opening(summary))}
    found |= {f"verdict {each.claim_id}": repr(each) for each in chapter.judge(summary)}
    found |= {f"figure {name}": figure.record() for name, figure in chapter.figures(summary).items()}
    for block in chapter.page.page.blocks:
        with suppress(BenchbookError):
            if block.kind == "say":
                found[f"say {block.name}"] = chapter.say(summary, block.name).text
            elif block.kind == "table":
                found[f"table {block.name}"] = chapter.table(summary, block.name).to_csv()
    return found


def measured(chapter: Any) -> dict[str, Any]:
    """What it would measure."""
    parameters = chapter.Parameters()
    needs, plan = chapter.needs(parameters), chapter.plan(parameters, blocks=2)
    return {
        "configurations": [repr(each) for each in chapter.configurations(parameters).values()],
        "plan": [(each.block, each.configuration.name, each.seed) for each in plan.trials],
        "needs": (needs.disk_bytes, needs.memory_bytes, None if needs.minutes is None else round(needs.minutes, 6)),
    }


def of(chapters: Iterable[str]) -> dict[str, Any]:
    """The same of these chapters, all without a name, as JSON has it."""
    found = {}
    for name in chapters or lab.names():
        sys.stderr.write(f"{name}\n")
        found[name] = told(name)
    plain: dict[str, Any] = json.loads(json.dumps(found, sort_keys=True, default=str))
    return plain


def differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """A line for each thing that is said otherwise, with as much of both as shows it."""
    for name in now:
        was = before.get(name, {})
        for what in sorted(was.keys() | now[name].keys()):
            old, new = (json.dumps(each.get(what), ensure_ascii=False) for each in (was, now[name]))
            if old != new:
                place = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
                start = max(0, place - 60)
                yield f"{name}, {what}:\n  - {old[start : start + 200]}\n  + {new[start : start + 200]}"


def main(command: str, file: Path, chapters: list[str]) -> int:
    """0 when nothing differs."""
    found = of(chapters)
    if command == "keep":
        file.write_text(json.dumps(found))
        return 0
    lines = [*differences(json.loads(file.read_text()), found)]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stderr.write(f"{len(lines)} differences\n")
    return 1 if lines else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("keep", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER")
    sys.exit(main(**vars(parser.parse_args())))
