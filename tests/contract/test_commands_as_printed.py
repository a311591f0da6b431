"""Every command that README, pages, CONTRIBUTING, the help and the fixes of messages print is one that works.

All are read by the real command line, and what they name has to exist: experiments, parameters, numbers, profiles,
figures, targets of make, notebooks. Those that only look are run; one that measures is run with --dry-run.
"""

import ast
import re
import shlex
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import figure_names
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from benchbook import lab
from benchbook.cli import parameter_options
from benchbook.cli.commands import COMMANDS, app
from benchbook.reuse import estimates

ROOT = Path(__file__).parents[2]
HISTORY = {"changelog.md"}
"""It names commands of earlier versions."""
PAGES = [
    ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md",
    *sorted((ROOT / "examples").glob("*/README.md")),
    *(page for page in sorted((ROOT / "book").glob("*.md")) if page.name not in HISTORY),
    *sorted((ROOT / "src").glob("**/*.md")),
]  # fmt: skip
INLINE = re.compile(r"`([^`\n]+)`")
BLOCK = re.compile(r"```(?:console|sh|bash)\n(.*?)```", re.DOTALL)
OURS = re.compile(r"(?:[A-Z_]+=\S+ )*(?:\.\./)?(?:\.venv/bin/)?benchbook(?: |$)")
FIGURE = re.compile(r"fig-[a-z0-9-]+[a-z0-9]")
STANDS_FOR = {"x", "my_note", "...", "!"}
"""Words in the place of a name, beside those in capitals: a new chapter, a trial's, whatever a message fills in."""
LOOKS = {"list", "show", "plan", "runs"}
"""Commands that only look, so that they are run as they stand."""
LACKS = 3
"""Exit code of a dry run where this machine lacks something, and says what."""
OF_THE_MACHINE = ("BENCHBOOK_PG_SERVICE is not set", "--another-host to mix them")
"""What a refusal says that another machine, or one that is set up, would not."""


def called(line: str) -> str:
    """A line as a shell would get it, without its prompt and its comment."""
    return line.strip().removeprefix("$ ").partition(" #")[0].strip()


@cache
def on_pages() -> dict[str, list[str]]:
    """Every call in code of a page, by the page."""
    found: dict[str, list[str]] = {}
    for page in PAGES:
        text = re.sub(r"<!--.*?-->", "", page.read_text("utf-8"))
        lines = [line for block in BLOCK.findall(text) for line in block.splitlines()]
        lines += INLINE.findall(BLOCK.sub("", text))
        found[str(page.relative_to(ROOT))] = [call for line in lines if (call := called(line))]
    return found


@cache
def in_help() -> dict[str, list[str]]:
    """The examples of every command, and what the help of all says to begin with."""
    found = {
        "--help": [f"benchbook {each}" for each in re.findall(r"benchbook ([a-z][^,.\n]*)", app.info.epilog or "")]
    }
    for name, command in commands():
        text = command.help or ""
        found[f"{name} --help"] = [
            called(line) for line in re.findall(r"(?:^|Example: |`)(benchbook [^`\n]+)", text, re.M)
        ]
    return found


def commands() -> Iterator[tuple[str, Any]]:
    """Every command by its words."""
    group: Any = get_command(app)
    for name in COMMANDS:
        command = group.get_command(None, name)
        inner = getattr(command, "commands", None)
        yield from ((f"{name} {each}", of) for each, of in inner.items()) if inner else [(name, command)]


@cache
def in_messages() -> dict[str, list[str]]:
    """Calls between backticks in the texts of the package; what a message fills in is "!"."""
    found = {}
    for path in sorted((ROOT / "src").glob("**/*.py")):
        texts = []
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                texts.append(
                    "".join(
                        str(getattr(each, "value", "")) if isinstance(each, ast.Constant) else "!"
                        for each in node.values
                    )
                )
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
        found[str(path.relative_to(ROOT))] = [
            called(" ".join(call.split())) for text in texts for call in re.findall(r"`([^`]+)`", text)
        ]
    return found


def ours() -> Iterator[tuple[str, list[str]]]:
    """Each call of Benchbook with its place: the words after the program's name."""
    for place, calls in (each for source in (on_pages(), in_help(), in_messages()) for each in source.items()):
        for call in dict.fromkeys(calls):
            if OURS.match(call):
                words = shlex.split(call.partition(";")[0])
                start = next(at for at, word in enumerate(words) if word.endswith("benchbook"))
                if len(words) > start + 1:
                    yield place, words[start + 1 :]


CALLS = [pytest.param(place, words, id=f"{place}: {' '.join(words)}"[:120]) for place, words in ours()]


def stands_for(word: str) -> bool:
    """Whether a word is in the place of a name."""
    return word in STANDS_FOR or "!" in word or word.isdecimal() or word.strip("+.").isupper()


def parsed(words: list[str]) -> Any:
    """The context of a call, whose names are none yet. Raises click's own error for what does not exist."""
    command: Any = get_command(app)
    while hasattr(command, "get_command") and words and (inner := command.get_command(None, words[0])):
        command, words = inner, words[1:]
    group = hasattr(command, "get_command")
    if not words or (words[0].startswith("--") and group):
        return None
    assert not group, f"there is no command {words[0]}"
    return command.make_context(command.name, list(words))


@pytest.mark.parametrize(("place", "words"), CALLS)
def test_the_command_line_takes_every_printed_call_and_knows_what_it_names(place: str, words: list[str]) -> None:
    figures = {found for word in words for found in FIGURE.findall(word)}
    assert "examples" in place or figures <= figure_names.ids() | {"fig-a"}
    speaks_of = len(words) == 1 or (len(words) == 2 and words[1].startswith("-"))
    if speaks_of and words[0] in COMMANDS:  # of a command, or of one of its options
        command = dict(commands()).get(words[0])
        options = {name for each in getattr(command, "params", []) for name in each.opts}
        assert len(words) == 1 or command is None or words[1] in options | {"--help"}, place
        return
    context = parsed(["12" if word == "!" else word.replace("+N", "+1") for word in words])
    if context is None:
        return
    given = context.params
    for name in each_of(given.get("experiment")):
        if stands_for(name):
            continue
        chapter = lab.experiment(name)
        wanted = [each for each in given.get("setting") or [] if not stands_for(each.partition("=")[2])]
        parameter_options.parameters(chapter, given.get("profile") or "standard", None, wanted)
        estimates.named(chapter, each_of(given.get("number")))
        for point in given.get("grid") or []:
            assert point.partition("=")[0] in chapter.Parameters.model_fields, point


def each_of(given: Any) -> list[str]:
    """One value, several or none."""
    return [given] if isinstance(given, str) else [*(given or ())]


@pytest.fixture(scope="module")
def whole(module_home: Path) -> Path:
    """A project with all published runs."""
    shutil.copytree(ROOT / "data" / "published", module_home / "data" / "published", dirs_exist_ok=True)
    return module_home


def run_as() -> list[Any]:
    """The calls that are run, as they are run here, each once."""
    found = {}
    for place, words in ours():
        named = words[1] if len(words) > 1 else ""
        if any(map(stands_for, words)) or any(
            word.startswith(("my.", "my_", "-f", "--fix", "--all")) for word in words
        ):
            continue
        if words[0] in ("run", "sweep") and named in lab.names() and "--emit" not in words and "--stored" not in words:
            found.setdefault((*words, *(["--dry-run"] * ("--dry-run" not in words))), place)
        elif words[0] in LOOKS and (named in lab.names() or words in (["list"], ["runs"])):
            found.setdefault(tuple(words), place)
    return [pytest.param(place, list(words), id=" ".join(words)) for words, place in found.items()]


@pytest.mark.parametrize(("place", "words"), run_as())
def test_what_looks_or_foresees_runs_as_it_is_printed(whole: Path, place: str, words: list[str]) -> None:
    result = CliRunner().invoke(app, words, prog_name="benchbook")
    told = f"{place}: benchbook {' '.join(words)}\n{result.output}"
    elsewhere = result.exit_code == 1 and any(each in result.output for each in OF_THE_MACHINE)
    if "--dry-run" in words and (result.exit_code == LACKS or elsewhere):
        assert "fix: " in result.output, told
        return
    assert result.exit_code == 0, told
    assert result.output.strip(), told


def test_every_printed_target_of_make_exists() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for place, calls in (each for source in (on_pages(), in_messages()) for each in source.items()):
        for call in calls:
            words = call.split()
            if words[:1] == ["make"] and len(words) > 1 and re.fullmatch(r"[a-z0-9-]+", words[1]):
                assert words[1] in targets, f"{place}: {call}"


def test_every_notebook_and_program_that_a_call_names_exists() -> None:
    for place, calls in on_pages().items():
        for call in calls:
            for name in re.findall(r"\b(?:notebooks|workflow|tests)/[\w./-]+", call):
                if not stands_for(Path(name).name) and "/x" not in name and "test_x" not in name:
                    assert (ROOT / name.rstrip(".")).exists(), f"{place}: {call}"


@pytest.mark.parametrize("page", ["README.md", "book/cite.md", "book/reexecute.md"])
def test_commands_in_blocks_are_called_as_they_work_in_a_clone(page: str) -> None:
    for block in BLOCK.findall((ROOT / page).read_text("utf-8")):
        for line in block.splitlines():
            if re.search(r"\bbenchbook (?!=)[a-z]", line) and not re.search(r"docker|git clone", line):
                assert ".venv/bin/benchbook" in line, line


def test_nothing_names_an_address_that_is_none() -> None:
    for path in [*PAGES, ROOT / "_config.yml", ROOT / "codemeta.json", ROOT / "CITATION.cff"]:
        assert ".example" not in path.read_text("utf-8"), path.name
