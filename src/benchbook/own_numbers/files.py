"""Which tool wrote a file, by its content, and the repetitions in it."""

import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchbook.errors import BenchbookError, check_known, suggestion
from benchbook.own_numbers import json_files, pgbench_logs, tables, text_files
from benchbook.own_numbers.series import Series, Told, merged, silent

JSON = ("hyperfine", "pyperf", "google-benchmark", "criterion", "clickbench", "hammerdb")
TEXTS = {"pgbench": "pgbench", "sysbench": "sysbench", "hammerdb-output": "HammerDB"}
LOGS = {"pgbench-log": "transactions", "pgbench-intervals": "intervals"}
TABLE = "table"
FORMATS = (*LOGS, *TEXTS, *JSON, TABLE)
"""Names of ``--format``."""
HEAD = 1 << 16
_PACKED = {
    b"\x1f\x8b": "gunzip -k",
    b"\x28\xb5\x2f\xfd": "unzstd",
    b"BZh": "bunzip2 -k",
    b"\xfd7zXZ": "unxz -k",
    b"PK\x03\x04": "unzip",
}
Side = dict[tuple[str, str], Series]


def sides(
    first: Sequence[Path], against: Sequence[str], *, configuration: str = "", form: str = "", told: Told = silent
) -> tuple[Side, Side]:
    """What the files of both sides say, by benchmark and metric.

    first: files. against: files of the other side; or, of a table, the other configuration; nothing where the table has
    two alone, of which the first is then held against the second. configuration: of ``first``, where that is a table
    with several. form: of FORMATS, where the content does not tell. told: how many bytes more have been read. Raises
    BenchbookError for what cannot be read, and for a choice that is missing.
    """
    if form:
        check_known("there is no format", form, FORMATS)
    named = [Path(each) for each in against if Path(each).exists()]
    words = [each for each in against if not Path(each).exists()]
    if named and words:
        raise BenchbookError(f"there is no file {words[0]}", "give files that exist")
    found = _read(first, form, told)
    other = _read(named, form, told) if named else {}
    if not named:
        return _of_table(found, configuration, words, first)
    return merged(_one(found, configuration), "the first side"), merged(_one(other, ""), "the other side")


def _one(found: dict[str, list[Series]], configuration: str) -> list[Series]:
    if configuration:
        check_known("there is no configuration", configuration, found)
        return found[configuration]
    if len(found) > 1:
        raise BenchbookError(
            f"the table has {len(found)} configurations: {', '.join(map(repr, found))}",
            "name one with --configuration, and the other with --against",
        )
    return next(iter(found.values()))


def _of_table(
    found: dict[str, list[Series]], configuration: str, words: Sequence[str], first: Sequence[Path]
) -> tuple[Side, Side]:
    names = list(found)
    if names == [""]:
        wrong = "there is no other side"
        if words:
            wrong = f"there is no file {words[0]}{suggestion(words[0], [each.name for each in Path().iterdir()])}"
        raise BenchbookError(wrong, "give the files of the other side after --against")
    mine = configuration or (next((each for each in names if each not in words), "") if len(names) == 2 else "")
    other = words[0] if words else (next((each for each in names if each != mine), "") if len(names) == 2 else "")
    if not mine or not other:
        raise BenchbookError(
            f"{first[0].name} has {len(names)} configurations: {', '.join(map(repr, names))}",
            "name two: --configuration ONE --against OTHER",
        )
    return merged(_one(found, mine), mine), merged(_one(found, other), other)


def _read(files: Sequence[Path], form: str, told: Told = silent) -> dict[str, list[Series]]:
    """The series by configuration; "" where a file is of one."""
    found: dict[str, list[Series]] = {}
    logs: dict[str, list[Path]] = {}
    for file in files:
        if form:
            _check(file)
        kind = form or told_apart(file)
        if kind in LOGS:
            logs.setdefault(kind, []).append(file)
            continue
        if kind == TABLE:
            for name, series in tables.read(file).items():
                found.setdefault(name, []).extend(series)
        elif kind in TEXTS:
            found.setdefault("", []).extend(text_files.read(TEXTS[kind], _lines(file), file.name))
        else:
            found.setdefault("", []).extend(json_files.read(kind, json_files.content(file), file))
        told(file.stat().st_size)
    for kind, each in logs.items():
        for run in pgbench_logs.grouped(each):
            found.setdefault("", []).extend(pgbench_logs.read(LOGS[kind], run, told))
    return found


def told_apart(file: Path) -> str:
    """One of FORMATS; raises BenchbookError for a file that is empty, packed, or like none or several of them."""
    _check(file)
    with file.open("rb") as opened:
        head = opened.read(HEAD)
    if head[:4] == b"PAR1":
        return TABLE
    for magic, command in _PACKED.items():
        if head.startswith(magic):
            raise BenchbookError(f"{file.name} is packed", f"unpack it first: {command} {file.name}")
    if b"\0" in head:
        raise BenchbookError(f"{file.name} is no text", "give what a tool printed or exported")
    text = head.decode("utf-8-sig", "replace")
    if text.lstrip().startswith(("{", "[")) and not text_files.kind(text.lstrip().splitlines()[0]):
        told = {json_files.kind(json_files.content(file))} - {""}
    else:
        lines = [line for line in text.splitlines() if line.strip()]
        names = {kind: name for names in (LOGS, TEXTS) for name, kind in names.items()}
        told = {names[log]} if (log := pgbench_logs.kind(lines[0])) else set()
        if not told:
            told = (
                {TABLE}
                if tables.is_head(lines[0])
                else {names[each] for line in lines if (each := text_files.kind(line))}
            )
    if len(told) != 1:
        like = f"like {' and '.join(sorted(told))}" if told else "like no known format"
        raise BenchbookError(f"{file.name} looks {like}", f"say what it is with --format: {', '.join(FORMATS)}")
    return told.pop()


def text(file: Path, most: int = 64 << 20) -> str:
    """The whole of a text file of so many bytes at most; raises BenchbookError for any other."""
    _check(file)
    if file.stat().st_size > most:
        raise BenchbookError(f"{file.name} is larger than {most >> 20} MiB", "give its first and last looks")
    content = file.read_bytes()
    if b"\0" in content:
        raise BenchbookError(f"{file.name} is no text", "give what was printed")
    return content.decode("utf-8", "replace")


def _check(file: Path) -> None:
    try:
        status = file.stat()
    except OSError as error:
        raise BenchbookError(f"{file} cannot be read: {error.strerror}", "give a file that exists") from None
    if not stat.S_ISREG(status.st_mode):
        raise BenchbookError(f"{file} is no regular file", "name the files, such as FOLDER/*")
    if not status.st_size:
        raise BenchbookError(f"{file.name} is empty", "give the file of a run that ended")


def _lines(file: Path) -> Iterator[str]:
    """Lines of at most 64 KiB each, whatever the file holds."""
    with file.open("rb") as opened:
        while line := opened.readline(text_files.LINE):
            yield line.decode("utf-8", "replace")
