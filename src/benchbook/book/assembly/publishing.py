"""What a build keeps of an executed notebook, fit for publishing: no machine paths, code folded, verdicts collected."""

import json
import re
from pathlib import Path
from typing import Any

from benchbook import files, nofollow
from benchbook.book.assembly.chapter_plan import Chapter
from benchbook.book.assembly.execution import Result
from benchbook.book.records import inputs, notebook_text
from benchbook.book.records.run_facts import COMMAND
from benchbook.figures import LESSON_MIME_TYPE, VERDICTS_MIME_TYPE

_REMOVED_INPUTS = {"setup", "parameters"}
_ALREADY_DECIDED = {"hide-input", "remove-input", "hide-cell", "remove-cell", "show-input"}


def write(root: Path, chapter: Chapter, result: Result) -> str:
    """Write the chapter, then its key, which so always stands for a whole one; gives what its cells wrote to stderr."""
    source = nofollow.words(chapter.notebook, levels=nofollow.DATA)
    if result.failure:
        text, complaints = placeholder(source, chapter.experiment, chapter.published), ""
    else:
        text, complaints = clean(result.notebook, root)
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


def clean(executed: str, root: Path) -> tuple[str, str]:
    """The chapter as text, and what its cells wrote to stderr (which is for the person who builds, not the reader).

    Cells tagged ``setup`` or ``parameters`` lose their code on the page; every other code cell is folded under
    "Show code" unless its tags say otherwise. ``show-input`` keeps a cell's code open.
    """
    notebook = notebook_text.parse(executed)
    for made_by in ("papermill", "benchbook"):
        notebook.metadata.pop(made_by, None)
    notebook.metadata["kernelspec"] = dict(notebook_text.KERNELSPEC)
    complaints: list[str] = []
    for place, cell in enumerate(notebook.cells):
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
        cell["id"] = f"cell-{place:03d}"
        if cell.cell_type == "code":
            cell.metadata["tags"] = _tags(list(cell.metadata.get("tags", [])))
            complaints += [output.text for output in cell.outputs if _is_stderr(output)]
            cell.outputs = [output for output in cell.outputs if not _is_stderr(output)]
    text, paths = notebook_text.text(notebook), rf"(?<![\w./-]){re.escape(str(root))}(/|\b)"
    return re.sub(paths, lambda match: "" if match[1] else ".", text), "".join(complaints)


def _tags(tags: list[str]) -> list[str]:
    if _ALREADY_DECIDED.intersection(tags):
        return tags
    return [*tags, "remove-input" if _REMOVED_INPUTS.intersection(tags) else "hide-input"]


def _is_stderr(output: Any) -> bool:
    return bool(output.output_type == "stream" and output.name == "stderr")


def verdicts(chapter: str) -> list[dict[str, Any]]:
    """The verdict records that a chapter's cells showed, in their order."""
    return [
        record for table in notebook_text.shown(notebook_text.parse(chapter), VERDICTS_MIME_TYPE) for record in table
    ]


def lessons(chapter: str) -> list[dict[str, Any]]:
    """The lesson that a chapter's cells showed; a chapter without a run has none."""
    return notebook_text.shown(notebook_text.parse(chapter), LESSON_MIME_TYPE)


def placeholder(source: str, experiment: str, published: bool = False) -> str:
    """The page of a chapter that has no run to show: its title, and how to measure it. published: in an edition."""
    notebook = notebook_text.parse(source)
    title = notebook_text.heading(notebook) or experiment.replace("_", " ").capitalize()
    words = (
        f"No run of this chapter is published yet. Measure it yourself with `{COMMAND} run {experiment} --profile "
        "quick`."
        if published
        else "This chapter has not been measured with these parameters on this machine, so there is nothing to show "
        f"yet.\nMeasure it with `{COMMAND} run {experiment} --profile quick`, then build the book again. "
        "Building the book never measures."
    )
    text = f"# {title}\n\n:::{{note}}\n{words}\n:::\n"
    return notebook_text.text(notebook_text.page(text))
