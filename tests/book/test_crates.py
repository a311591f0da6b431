"""A crate holds all that an edition froze, and says of each file what it is, whose it is and which code made it."""

import json
import shutil
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import sealing
from typer.testing import CliRunner

from benchbook import project, store
from benchbook.book.crate import writing
from benchbook.book.records import editions
from benchbook.cli.commands import app
from benchbook.errors import BenchbookError, StoredRunError

TEXT, CODE = "https://spdx.org/licenses/CC-BY-4.0", "https://spdx.org/licenses/Apache-2.0"


def contents(crate: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(crate) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def graph(crate: Path) -> Any:
    """Entity by id."""
    metadata = json.loads(contents(crate)["ro-crate-metadata.json"])
    entities = {each["@id"]: each for each in metadata["@graph"]}
    assert len(entities) == len(metadata["@graph"])
    return entities


def references(value: Any) -> list[str]:
    return [each["@id"] for each in (value if isinstance(value, list) else [value])]


def test_every_file_is_described_with_its_hash_size_type_and_licence(crate: Path, graph: Any) -> None:
    found = contents(crate)
    del found["ro-crate-metadata.json"]
    assert {name for name, each in graph.items() if "File" in each["@type"]} == set(found)
    for name, content in found.items():
        assert graph[name]["sha256"] == sha256(content).hexdigest()
        assert graph[name]["contentSize"] == str(len(content))
        assert graph[name]["description"]
        assert set(references(graph[name]["license"])) <= {TEXT, CODE}
    assert references(graph["data/claims.csv"]["license"]) == [TEXT]
    assert references(graph["requirements.lock"]["license"]) == [CODE]
    assert references(graph["notebooks/hot_cold_keys.ipynb"]["license"]) == [TEXT, CODE]
    assert graph["figures/fig-hot.csv"]["encodingFormat"] == "text/csv"
    assert graph["figures/fig-hot.csl.json"]["encodingFormat"] == "application/vnd.citationstyles.csl+json"
    assert graph["LICENSE-CC-BY-4.0"]["encodingFormat"] == "text/plain"


def test_every_reference_leads_to_an_entity(graph: Any) -> None:
    known = graph.keys() | {"https://w3id.org/ro/crate/1.1"}
    for value in (value for entity in graph.values() for value in entity.values()):
        for each in value if isinstance(value, list) else [value]:
            assert not isinstance(each, dict) or each["@id"] in known


def test_a_run_is_an_action_of_the_code_at_its_commit_on_parameters_and_ledger(frozen: Path, graph: Any) -> None:
    runs = editions.read(frozen, "2026.1")["runs"]
    assert len(runs) == 2
    for run in runs:
        folder = frozen / "data" / "published" / run["experiment"] / run["run_id"]
        stored = json.loads((folder / "run.json").read_text())
        action = graph[f"#run-{run['run_id']}"]
        assert action["@type"] == "CreateAction"
        assert (action["startTime"], action["endTime"]) == (stored["started_at"], stored["finished_at"])
        code = graph[references(action["instrument"])[0]]
        assert code["@type"] == "SoftwareSourceCode"
        assert stored["provenance"]["commit"] in code["description"]
        assert ("identifier" in code) is not stored["provenance"]["dirty"]
        assert set(references(action["result"])) == {path.relative_to(frozen).as_posix() for path in folder.iterdir()}
        given = [graph[each] for each in references(action["object"])]
        parameters = {each["name"] for each in given if each["@type"] == "PropertyValue"}
        assert parameters == set(stored["parameters"])
        (ledger,) = (each for each in given if each["@type"] == "File")
        assert ledger["@id"].startswith("data/ledgers/"), "the ledger of this project has grown since"
        assert ledger["sha256"] == stored["provenance"]["ledger_sha256"]
        assert {"@id": action["@id"]} in graph["./"]["mentions"]


def test_a_figure_names_its_files_and_what_it_was_computed_from(frozen: Path, graph: Any) -> None:
    (run,) = (each for each in editions.read(frozen, "2026.1")["runs"] if each["experiment"] == "hot_cold_keys")
    figure = graph["#fig-hot"]
    assert figure["url"].endswith("/figures/2026.1/fig-hot.html")
    assert {"figures/fig-hot.csv", "figures/fig-hot.json", "figures/fig-hot.bib"} <= set(references(figure["encoding"]))
    folder = f"data/published/hot_cold_keys/{run['run_id']}"
    assert {f"{folder}/trials.parquet", "notebooks/hot_cold_keys.ipynb"} <= set(references(figure["isBasedOn"]))
    assert "data/notes/datapackage.json" in references(graph["#fig-not"]["isBasedOn"])


def test_drawings_of_the_edition_s_own_data_go_in(frozen: Path, tmp_path: Path) -> None:
    folder = frozen / "data" / "figures"
    folder.mkdir()
    digest = editions.read(frozen, "2026.1")["figures"]["fig-hot"]
    for name, text in (("fig-hot.svg", "<svg/>"), ("fig-hot.sha256", digest), ("fig-cal.svg", "<svg/>")):
        (folder / name).write_text(text)
    (folder / "fig-cal.sha256").write_text("0" * 64)
    try:
        assert writing.write(frozen, "2026.1", tmp_path / "drawn.zip") == ["fig-cal", "fig-not"]
    finally:
        shutil.rmtree(folder)
    found = contents(tmp_path / "drawn.zip")
    assert found["figures/fig-hot.svg"] == b"<svg/>"
    assert "figures/fig-cal.svg" not in found
    described = {each["@id"]: each for each in json.loads(found["ro-crate-metadata.json"])["@graph"]}
    assert described["figures/fig-hot.svg"]["sha256"] == sha256(b"<svg/>").hexdigest()


def test_the_same_edition_gives_the_same_crate_and_what_changed_since_is_taken_from_the_history(
    frozen: Path, crate: Path, tmp_path: Path
) -> None:
    path = frozen / "notebooks" / "hot_cold_keys.ipynb"
    before = path.read_bytes()
    path.write_bytes(before + b"\n")
    try:
        assert editions.problems(frozen, "2026.1") == []
        lacking = writing.write(frozen, "2026.1", tmp_path / "later.zip")
        assert lacking == ["fig-hot", "fig-cal", "fig-not"], "no drawing is stored"
    finally:
        path.write_bytes(before)
    assert (tmp_path / "later.zip").read_bytes() == crate.read_bytes()


@pytest.fixture
def unpacked(crate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The crate in a folder outside of any clone, which commands take for the project."""
    with zipfile.ZipFile(crate) as archive:
        archive.extractall(tmp_path)
    monkeypatch.setenv("BENCHBOOK_HOME", str(tmp_path))
    return tmp_path


def verified(code: int) -> str:
    result = CliRunner().invoke(app, ["verify"], prog_name="benchbook")
    assert result.exit_code == code, result.output
    return result.stdout


def test_an_unpacked_crate_is_a_project_folder(unpacked: Path) -> None:
    assert project.root() == unpacked.resolve()
    assert {entry.folder.parent.name for entry in store.catalogue()} == {"hot_cold_keys", "calibration"}
    assert editions.names(unpacked) == ["2026.1"]
    assert editions.problems(unpacked, "2026.1") == []
    said = verified(0)
    assert said.count("whole (") == 2
    assert "samples, every metric recomputed)" in said, "the ledger that it was planned against is in the crate"


def test_a_changed_trial_of_an_unpacked_crate_is_found(unpacked: Path) -> None:
    (folder,) = (unpacked / "data" / "published" / "hot_cold_keys").iterdir()
    trials = pq.read_table(folder / "trials.parquet")
    at = trials.schema.get_field_index("mean_ns")
    doubled = [value and 2 * value for value in trials["mean_ns"].to_pylist()]
    pq.write_table(trials.set_column(at, trials.field(at), [doubled]), folder / "trials.parquet")
    said = verified(6)
    assert said.count("DAMAGED") == 1
    assert "its samples give" not in said
    sealing.reseal(folder)
    sealing.list_published(unpacked)
    assert "its samples give" in verified(6), "every hash agrees with every other"


@pytest.mark.parametrize(
    ("name", "out", "words"),
    [
        ("2026.2", "a.zip", r"there is no edition '2026\.2' \(did you mean '2026\.1'\?\)"),
        ("../2026.1", "a.zip", "there is no edition"),
        ("2026.1", "a.tar", r"does not end in \.zip"),
        ("2026.1", "absent/a.zip", "is not a folder"),
        ("2026.1", "taken.zip", "exists"),
    ],
)
def test_a_crate_that_cannot_be_is_refused(frozen: Path, tmp_path: Path, name: str, out: str, words: str) -> None:
    (tmp_path / "taken.zip").write_text("mine")
    with pytest.raises(BenchbookError, match=words):
        writing.write(frozen, name, tmp_path / out)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"taken.zip": "mine"}


@pytest.fixture
def copied(frozen: Path, tmp_path: Path) -> Path:
    """The project with its history, to be damaged."""
    return shutil.copytree(frozen, tmp_path / "copied")


@pytest.mark.parametrize(
    ("lost", "words"),
    [
        (["data/published/calibration"], r"run\.json is missing \(SHA-256 [0-9a-f]{12}…\), and 2 more"),
        ([".git", "notebooks/calibration.ipynb"], r"calibration\.ipynb is not here as it was frozen \(SHA-256"),
        ([".git"], r"data/claims\.csv is not available here as it was when the run \S+ was planned \(SHA-256"),
    ],
    ids=["run", "notebook", "ledger"],
)
def test_what_is_lost_makes_no_crate(copied: Path, tmp_path: Path, lost: list[str], words: str) -> None:
    for path in (copied / name for name in lost):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    with pytest.raises(StoredRunError, match=words):
        writing.write(copied, "2026.1", tmp_path / "a.zip")
    assert not (tmp_path / "a.zip").exists()


@pytest.mark.parametrize(
    ("settings", "identifier"),
    [
        ("sphinx:\n  config:\n    benchbook_doi: 10.5281/zenodo.12\n", "https://doi.org/10.5281/zenodo.12"),
        ("title: T\n", None),
    ],
)
def test_a_crate_has_the_doi_and_the_address_of_the_settings_or_none(
    copied: Path, tmp_path: Path, settings: str, identifier: str | None
) -> None:
    (copied / "_config.yml").write_text(settings)
    shutil.rmtree(copied / "data" / "editions")
    editions.create(copied, "2026.1")
    writing.write(copied, "2026.1", tmp_path / "a.zip")
    graph = json.loads(contents(tmp_path / "a.zip")["ro-crate-metadata.json"])["@graph"]
    (whole,) = (each for each in graph if each["@id"] == "./")
    assert whole.get("identifier") == identifier
    assert not [each for each in [whole, *graph] if each["@id"].startswith(("./", "#fig-")) and "url" in each]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "2026.9"}, r"calls it 2026\.9"),
        ({"schema": 2}, "schema"),
        ({"runs": []}, "runs"),
        ({"files": {"../x": "0" * 64}}, "leads outside the folder"),
        ({"files": {"/etc/passwd": "0" * 64}}, "leads outside the folder"),
        ({"files": {"x": "short"}}, "files"),
        ({"created": 5}, "created"),
    ],
)
def test_a_damaged_record_of_an_edition_is_refused(
    frozen: Path, tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    path = shutil.copytree(frozen / "data" / "editions", tmp_path / "data" / "editions") / "2026.1" / "edition.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(StoredRunError, match=words):
        editions.read(tmp_path, "2026.1")
