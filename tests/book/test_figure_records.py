"""What stands behind each figure, collected from executed chapters and stored runs."""

import json
import shlex
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import executed
import pandas as pd
import pytest
import shown
from docutils import nodes
from docutils.utils import new_document

from benchbook import lab, store
from benchbook.book.parts import figure_files, record_nodes, tables
from benchbook.book.records import figure_list, figure_records, references, run_facts
from benchbook.cli import parameter_options
from benchbook.errors import BenchbookError
from benchbook.figures import MIME_TYPE, Figure

ROOT = Path(__file__).parents[2]
RUN = max(path.name for path in (ROOT / "data" / "published" / "hot_cold_keys").iterdir())


def a_figure(identity: str = "fig-a", run: str = RUN, title: str = "Latency by cache, in ms") -> Figure:
    return executed.figure(identity, run, title)


@pytest.fixture
def record(cited: Path) -> dict[str, Any]:
    """Of a figure of that run, as the book collects it."""
    (found,) = figure_records.of_chapters(cited, [executed.chapter(cited, "one", a_figure())])
    return found


def test_a_figure_of_a_published_run_carries_everything_about_that_run(record: Any) -> None:
    folder = ROOT / "data" / "published" / "hot_cold_keys" / RUN
    stored = json.loads((folder / "run.json").read_text())
    run = record["run"]
    assert record["title"] == "Latency by cache, in ms"
    assert (record["chapter"], record["chapter_title"], record["interval"]) == ("one", "About one", "Student t")
    assert run["commit"].startswith(stored["provenance"]["commit"])
    assert run["blocks"] == stored["blocks"]
    assert run["trials"] == len(store.read_run(folder, published=True).trials)
    assert run["files"] == {name: each["sha256"] for name, each in stored["files"].items()}
    assert {each["name"]: each["unit"] for each in run["settings"]}["shared_buffers_mib"] == "MiB"
    assert stored["finished_at"] == record["date"]
    assert RUN in record["citations"]["bibtex"]


@pytest.mark.parametrize(
    ("name", "lacking"), [("title", " "), ("caption", " "), ("alt", " "), ("data", pd.DataFrame({"x": []}))]
)
def test_a_figure_without_its_words_or_data_is_refused(name: str, lacking: Any) -> None:
    with pytest.raises(BenchbookError, match=f"figure fig-a has no {name}"):
        replace(a_figure(), **{name: lacking})


@pytest.mark.parametrize("lacking", ["title", "caption", "alt", "data"])
def test_a_record_that_a_notebook_made_by_hand_is_held_to_the_same(cited: Path, lacking: str) -> None:
    record = a_figure().record() | {lacking: {} if lacking == "data" else ""}
    by_hand = SimpleNamespace(_repr_mimebundle_=lambda: {MIME_TYPE: record})
    with pytest.raises(BenchbookError, match=f"figure fig-a in one has no {lacking}"):
        figure_records.of_chapters(cited, [executed.chapter(cited, "one", by_hand)])


def test_the_command_gives_the_run_s_own_parameters() -> None:
    entry = store.find_entry(RUN)
    assert entry.record is not None
    facts = run_facts.facts(entry)
    words = shlex.split(facts.command)
    assert words[:3] == [".venv/bin/benchbook", "run", "hot_cold_keys"], "as it works in a clone"
    assert facts.prepare == "make setup", "PostgreSQL comes with it"
    assert all(
        run_facts.facts(each).prepare == ("make probes" if name in ("cache_sizing", "scale") else "make setup")
        for name in ("cache_sizing", "scale", "noise_floor", "calibration")
        for each in store.catalogue(name)
        if each.published
    )
    profile = words[words.index("--profile") + 1] if "--profile" in words else "standard"
    settings = [words[place + 1] for place, word in enumerate(words) if word == "-p"]
    asked = parameter_options.parameters(lab.experiment("hot_cold_keys"), profile, None, settings)
    assert asked.model_dump(mode="json").items() >= entry.record["parameters"].items()


def changed(**provenance: Any) -> tuple[str, ...]:
    entry = store.find_entry(RUN)
    assert entry.record is not None
    entry.record["measurement_version"] = lab.experiment("hot_cold_keys").version
    entry.record["provenance"] |= provenance
    return run_facts.facts(entry).stale


def test_a_run_that_would_be_measured_alike_today_is_not_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    assert changed() == ()
    assert "ledger" in " ".join(changed(ledger_sha256="0" * 64))
    entry = store.find_entry(RUN)
    assert entry.record is not None
    later = replace(lab.experiment("hot_cold_keys"), version=99)
    monkeypatch.setattr(lab, "experiment", lambda name: later)
    assert "today's is 99" in " ".join(run_facts.facts(entry).stale)


def test_a_damaged_run_has_no_facts(tmp_path: Path) -> None:
    with pytest.raises(BenchbookError, match="is torn"):
        run_facts.facts(store.Entry(tmp_path / "x-1", False, None, "torn"))


def test_one_id_in_two_chapters_is_refused_with_both_places(cited: Path) -> None:
    paths = [executed.chapter(cited, name, a_figure()) for name in ("one", "two")]
    with pytest.raises(BenchbookError, match="fig-a: one in one, one in two"):
        figure_records.of_chapters(cited, paths)


def test_a_figure_without_a_stored_run_is_dated_by_the_book_and_computed_again(cited: Path) -> None:
    (record,) = figure_records.of_chapters(cited, [executed.chapter(cited, "sums", a_figure(run="notes 0123"))])
    assert record["run"] is None
    assert record["command"] == ".venv/bin/benchbook run sums"
    assert record["date"] == references.day(cited)


def test_an_unknown_id_is_refused_with_the_nearest(cited: Path) -> None:
    records = figure_records.of_chapters(cited, [executed.chapter(cited, "one", a_figure("fig-hot-cold"))])
    assert figure_list.find(records, "fig-hot-cold")["chapter"] == "one"
    with pytest.raises(BenchbookError, match="did you mean 'fig-hot-cold'"):
        figure_list.find(records, "fig-hot-gold")


def test_without_a_built_book_there_are_no_figures(cited: Path) -> None:
    with pytest.raises(BenchbookError, match="no book has been built"):
        figure_list.stored(cited)


def test_the_table_as_csv_keeps_every_digit_and_leaves_the_missing_empty() -> None:
    table = a_figure().record()["data"]
    assert tables.csv_text(table["columns"], table["data"]) == "arm,p99 (ms),n\na,0.3,1\nb,,2\n"
    assert tables.csv_text(["x"], [[1 / 3]]) == "x\n0.3333333333333333\n"


def test_no_text_of_a_table_is_a_formula_to_a_spreadsheet_and_its_file_says_which_encoding_it_has() -> None:
    texts = ['=HYPERLINK("x")', "+1+1", " @SUM(A1)", "-2000", "-0.5 of it"]
    rows = tables.csv_text(["=a", "µs"], [[text, -1.5] for text in texts]).splitlines()
    assert rows[0] == "'=a,µs"
    assert rows[1:] == [
        '"\'=HYPERLINK(""x"")",-1.5',
        "'+1+1,-1.5",
        "' @SUM(A1),-1.5",
        "-2000,-1.5",
        "'-0.5 of it,-1.5",
    ]
    assert figure_files.contents(a_figure().record() | {"citations": {}})["csv"].encode().startswith(b"\xef\xbb\xbf")


def folded(record: dict[str, Any]) -> str:
    return shown.text(record_nodes.record_nodes(record, frozenset()))


def test_the_folded_part_has_origin_command_and_every_citation(record: Any) -> None:
    parts = record_nodes.record_nodes(record, frozenset({"csv", "svg"}))
    text = shown.text(parts)
    pool = record["run"]["pool"]
    assert f"in a clone after make setup; its {len(pool['runs'])} runs took {pool['minutes']:g} minutes" in text
    for expected in (RUN, record["run"]["command"], "@misc", "Student t", record["data_sha256"]):
        assert expected in text
    links = [link["path"] for part in parts for link in part.findall(record_nodes.SiteLink)]
    assert "figures/fig-a.svg" in links
    assert "figures/fig-a.pdf" not in links
    assert "decimal commas" in text, "where its table is offered as CSV"


def test_the_folded_part_names_the_machine_and_what_its_pool_mixes(record: Any) -> None:
    run = record["run"]
    assert " kinds of host, " in run["mixes"]
    run |= {"machine": ""}  # as in a run of before machines had an id
    assert f"machines\n\n{run['mixes']}" in folded(record)
    run |= {"machine": "0" * 16}
    assert f"{run['host']}; id {'0' * 16}" in folded(record), "in the table of its runs"
    del run["pool"]  # as in a record of an earlier edition
    assert f"hosts of all its runs\n\n{run['mixes']}" in folded(record)


def test_a_page_says_once_and_in_the_open_that_its_figures_were_measured_earlier(record: Any) -> None:
    record["run"]["stale"] = ["The ledger of claims has changed since."]
    parts = record_nodes.record_nodes(record, frozenset())
    assert isinstance(parts[0], nodes.paragraph)
    assert "has changed since" in parts[0].astext()
    page = new_document("page")
    assert record_nodes.said_once(page, parts) == parts
    page += parts
    again = record_nodes.said_once(page, record_nodes.record_nodes(record, frozenset()))
    assert [type(each) for each in again] == [type(each) for each in parts[1:]]
    record["run"]["stale"] = ["Its engine was another."]
    assert "another" in record_nodes.said_once(page, record_nodes.record_nodes(record, frozenset()))[0].astext()
