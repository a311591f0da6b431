"""Whatever a user gives that is too long, too large, twice or no file gets one short message, never a traceback."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from test_bad_input import refused

from benchbook.book.records import figure_list
from benchbook.errors import LONGEST

RUN = ("run", "hot_cold_keys")
NAME = "n" * 300


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *((text, "mine.yaml") for text in ("- 1\n", "n_tables: [1\n", "just words\n", "", "3\n", "blocks:\t- 2\n")),
        *((text, "mine.yaml") for text in ("? [blocks]\n: 2\n", "blocks: 2\n---\nblocks: 3\n")),
        ("n_tabels: 3\n", "(did you mean 'n_tables'?)"),
        ("n_tables: 3\nblocks: 2\nn_tables: 4\n", "'n_tables' is set twice, line 3"),
        ("n_tables: 3\n'n_tables': 3\n", "'n_tables' is set twice, line 2"),
        ("{blocks: 2, blocks: 3}", "'blocks' is set twice"),
        ("a: &a [1, 1]\nb: [*a, *a]\n", "an alias cannot be used here, line 2"),
        ("blocks: 2024-99-99\n", "blocks='2024-99-99': input should be a valid integer"),
        (f"blocks: 0x{'f' * 4000}\n", "(4,004 characters): input should be a valid integer"),
        (f"blocks: {'9' * 400}\n", "a number has too many digits"),
        (f"blocks: {'9' * 5000}\n", "digits"),
        (f"blocks: {'[' * 4000}\n", "nested too deep"),
        (f"hot_shares_percent: [{'80, ' * 1_000_000}80]\n", "longer than 10,000 characters"),
        ("blocks: !!python/object/apply:os.getcwd []\n", "could not determine a constructor"),
        ("blocks: 2\0\n", "special characters are not allowed"),
    ],
)
def test_a_file_that_is_no_use_is_refused(home: Path, benchbook: Any, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    assert words in refused(benchbook(*RUN, "-f", str(tmp_path / "mine.yaml")))[0]


def test_what_is_no_readable_file_is_refused(home: Path, benchbook: Any, tmp_path: Path) -> None:
    assert "is a folder" in refused(benchbook(*RUN, "-f", str(tmp_path)))[0]
    assert "File name too long" in refused(benchbook(*RUN, "-f", NAME))[0]
    assert "longer than 10,000 characters" in refused(benchbook(*RUN, "-f", "/dev/zero"))[0]
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    assert "is not valid YAML" in refused(benchbook(*RUN, "-f", str(tmp_path / "bytes.yaml")))[0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_may_not_be_read_is_refused(home: Path, benchbook: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("blocks: 2\n")
    (tmp_path / "mine.yaml").chmod(0)
    assert "cannot be read: Permission denied" in refused(benchbook(*RUN, "-f", str(tmp_path / "mine.yaml")))[0]


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (f"n_tables=[{'1, ' * 3000}1]", "(9,003 characters): input should be a valid integer"),
        (f"hot_shares_percent=[{'x' * 5000}]", "(5,002 characters): input should be"),
        (f"n_tables={'x' * 5000}", "(5,002 characters): input should be"),
        (f"{'x' * 5000}=1", "unknown parameter 'xxx"),
        (f"zipf_exponents=[{'y, ' * 3000}y]", "zipf_exponents.3000='y'"),
    ],
)
def test_a_long_value_is_cut_and_what_is_wrong_still_said(home: Path, benchbook: Any, setting: str, words: str) -> None:
    assert words in refused(benchbook(*RUN, "-p", setting))[0]


def test_a_value_of_a_million_elements_is_a_wrong_use(home: Path, benchbook: Any) -> None:
    for setting in (f"hot_shares_percent=[{'1,' * 1_000_000}1]", "x" * 1_000_000):
        assert len(benchbook(*RUN, "-p", setting, code=2).stderr) < LONGEST


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", NAME),
        ("show", NAME),
        ("runs", NAME),
        ("plan", NAME),
        ("publish", NAME),
        ("verify", NAME),
        ("verify", "--crate", NAME),
        ("cite", NAME),
        ("data", NAME),
        ("data", "fig-small", "--out", NAME),
        ("figure", NAME, "--out", "a.json"),
        ("figure", "fig-small", "--out", f"{NAME}.json"),
        ("archive", "--out", NAME),
        ("pdf", "--out", NAME),
        ("bench", "--small", "--out", NAME),
        ("bench", "--only", NAME),
        ("edition", "check", NAME),
        ("edition", "create", NAME),
        ("edition", "crate", NAME, "--out", "a.zip"),
        ("verdicts", "--chapter", NAME),
        ("verdicts", "--note", NAME),
        ("build", "--profile", NAME),
        (*RUN, "-p", f"{NAME}=1"),
    ],
)
def test_a_name_of_300_characters_is_an_ordinary_mistake(
    home: Path, benchbook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = home / "book" / "chapters"
    folder.mkdir(parents=True)
    record = {"id": "fig-small", "plot": {}, "data": {"columns": [], "data": []}}
    (folder / figure_list.FIGURES_FILE).write_text(json.dumps([record]))
    refused(benchbook(*arguments))
