"""A record that was found right is not checked twice by listing; one that was changed, or is read, is."""

import json
import shutil
from typing import Any

import pytest

from benchbook import project
from benchbook.store import catalogue, publish, read_run, remembered, schema, seals


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the records whose seals were checked, in order."""
    seen: list[str] = []
    problem = seals.problem

    def noted(text: str, record: dict[str, Any]) -> str:
        seen.append(record["id"])
        return problem(text, record)

    monkeypatch.setattr(seals, "problem", noted)
    return seen


def test_a_listed_record_is_checked_once_and_a_run_that_is_read_again(make_run: Any, checked: list[str]) -> None:
    folder = make_run()
    first = catalogue()
    assert checked == [folder.name]
    assert catalogue() == first
    assert checked == [folder.name]
    read_run(folder, published=False)
    assert checked == [folder.name, folder.name]


def test_a_change_is_found_though_the_record_was_right_before(make_run: Any) -> None:
    folder = make_run()
    assert catalogue()[0].record
    path = folder / schema.RUN
    path.write_text(path.read_text().replace('"blocks": ', '"blocks": 1'))
    assert "was changed" in catalogue()[0].damage


def test_so_is_a_copy_in_another_place(make_run: Any) -> None:
    folder = make_run()
    assert catalogue()[0].record
    shutil.copytree(folder, folder.with_name("ffffffffffff-20260101T000000"))
    assert sorted("its record calls it" in entry.damage for entry in catalogue()) == [False, True]


def test_a_published_copy_still_has_to_be_listed(make_run: Any) -> None:
    target = publish(make_run().name)
    assert all(entry.record for entry in catalogue())
    (target.parents[1] / "SHA256SUMS").write_text("")
    assert [bool(entry.record) for entry in catalogue() if entry.published] == [False]


def test_an_unfinished_run_is_not_remembered(new_writer: Any, checked: list[str]) -> None:
    new_writer()
    catalogue()
    catalogue()
    assert len(checked) == 2


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"code": "another", "records": ["%s"]}', '{"code": null}', "\ud800", "[" * 9_999]
)
def test_what_other_code_or_nobody_wrote_is_not_believed_and_replaced(
    make_run: Any, checked: list[str], content: str
) -> None:
    make_run()
    catalogue()
    path = project.runs() / remembered.FILE
    good = path.read_text()
    (digest,) = json.loads(good)["records"]
    path.write_text(content.replace("%s", digest), errors="surrogatepass")
    catalogue()
    assert len(checked) == 2
    assert path.read_text() == good


def test_nothing_fails_where_it_cannot_be_written(make_run: Any, checked: list[str]) -> None:
    make_run()
    (project.runs() / remembered.FILE).mkdir()
    assert catalogue() == catalogue()
    assert len(checked) == 2
