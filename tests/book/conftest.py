"""A small project folder to build in, and notebooks to put into it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import executed
import nbformat
import pytest
import sealing
import yaml
from clones import git

from benchbook import lab, provenance
from benchbook.book.crate import writing
from benchbook.book.pages import verdicts
from benchbook.book.records import editions, figure_list, figure_records
from benchbook.model import Trial
from benchbook.parameters import profiles
from benchbook.parameters.kinds import Kind
from benchbook.store import RunWriter

ROOT = Path(__file__).parents[2]
RUNS = ("hot_cold_keys", "calibration")


@pytest.fixture
def small_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without chapters: folders, claims and an empty table of contents; what runs here takes it for home."""
    monkeypatch.setenv("BENCHBOOK_HOME", str(tmp_path))
    for name in ("notebooks", "data/notes", "data/published", "book", "src/benchbook"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "_config.yml").write_text("title: Small\n")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/index\n")
    (tmp_path / "data" / "claims.csv").write_text("id\n")
    (tmp_path / "data" / "claims-amendments.csv").write_text("id\n")
    (tmp_path / "data" / "notes" / "numbers.csv").write_text("x\n1\n")
    (tmp_path / "src" / "benchbook" / "code.py").write_text("VALUE = 1\n")
    (tmp_path / "book" / "index.md").write_text("# Small\n")
    find = profiles._head

    def head(experiment: str, name: str) -> Any:
        """The profiles of a notebook that is of no chapter."""
        own = tmp_path / f"{experiment}.profiles.yaml"
        return yaml.safe_load(own.read_text())[name] if own.is_file() else find(experiment, name)

    monkeypatch.setattr(profiles, "_head", head)
    return tmp_path


@pytest.fixture
def cited(tmp_path: Path) -> Path:
    """A folder with what references are made of: who and what, settings, versions, the list of published runs."""
    (tmp_path / "data" / "published").mkdir(parents=True)
    for name in ("CITATION.cff", "_config.yml", "data/versions.csv", "data/published/SHA256SUMS"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A folder with the ledger and the notes of this repository, and no executed chapter."""
    (tmp_path / "data" / "notes").mkdir(parents=True)
    for name in verdicts.SOURCES:
        shutil.copy(ROOT / "data" / name, tmp_path / "data" / name)
    (tmp_path / "book" / "chapters").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def write_notebook(small_root: Path) -> Any:
    """Write notebooks/<name>.ipynb from code cells, with its quick profile and its line in the contents."""

    def write(name: str, *codes: str) -> None:
        cells = [nbformat.v4.new_markdown_cell(f"# About {name}", id="title")]
        cells += [nbformat.v4.new_code_cell(code, id=f"code-{place}") for place, code in enumerate(codes)]
        cells[1].metadata["tags"] = ["parameters"]
        path = small_root / "notebooks" / f"{name}.ipynb"
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), path)
        (small_root / f"{name}.profiles.yaml").write_text("quick: {size: 2}\npaper: {size: 9}\n")
        contents = yaml.safe_load((small_root / "_toc.yml").read_text())
        contents.setdefault("chapters", []).append({"file": f"book/chapters/{name}"})
        (small_root / "_toc.yml").write_text(yaml.safe_dump(contents))

    return write


@pytest.fixture
def write_run(small_root: Path) -> Any:
    """Write a stored run, published and of the first version unless told otherwise.

    Its key is that which ``known`` experiments give their parameters.
    """

    def write(
        experiment: str, run: str, finished_at: str | None, *, published: bool = True, profile: str = "standard",
        version: int = 1, **parameters: Any,
    ) -> None:  # fmt: skip
        state: dict[str, Any] = {"finished_at": finished_at, "started_at": finished_at}
        if finished_at is None:
            state = {"state": "measuring"}
        sealing.write_run(
            small_root, experiment, run, published=published, key=key_of(parameters), profile=profile,
            measurement_version=version, parameters=parameters, **state,
        )  # fmt: skip

    return write


def key_of(parameters: dict[str, Any]) -> str:
    """A key as anybody can read it."""
    return ", ".join(f"{name}={value}" for name, value in sorted(parameters.items())) or "none"


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let these be the experiments that there are; each has a ``size`` of 1 and the quick profile's of 2."""

    def given(values: dict[str, Any]) -> Any:
        return SimpleNamespace(key=lambda experiment, version: key_of({"size": 1} | values))

    def let(*names: str) -> None:
        all_have = {"version": 1, "kind": Kind.MEASUREMENT, "Parameters": SimpleNamespace(given=given), "reads": ()}
        modules = {name: SimpleNamespace(name=name, **all_have) for name in names}
        monkeypatch.setattr(lab, "names", lambda: [*modules])
        monkeypatch.setattr(lab, "experiment", modules.__getitem__)

    return let


@pytest.fixture(scope="module")
def frozen(module_home: Path) -> Path:
    """A project with two published runs and a figure of each, frozen as the edition 2026.1.

    It is a git clone whose ledger has grown since the runs were planned, as ledgers do.
    """
    root = module_home
    for name in RUNS:
        sealing.publish_copy(newest(name), root)
    for name in ("CITATION.cff", "LICENSE", "LICENSE-CC-BY-4.0", "NOTICE", "requirements.lock"):
        shutil.copy(ROOT / name, root)
    settings = (root / "_config.yml").read_text()
    (root / "_config.yml").write_text(settings.replace('baseurl: ""', "baseurl: https://example.org/book/"))
    git(root, "init", "-q")
    planned = {json.loads((newest(name) / "run.json").read_text())["provenance"]["ledger_sha256"] for name in RUNS}
    for digest in sorted(planned):
        content = provenance.state(ROOT, "data/claims.csv", digest)
        assert content is not None, "the ledger of a published run is in the project's history"
        (root / "data" / "claims.csv").write_bytes(content)
        git(root, "add", ".")
        git(root, "commit", "-q", "--allow-empty", "-m", "a ledger")
    (root / "data" / "claims.csv").write_bytes((ROOT / "data" / "claims.csv").read_bytes() + b"\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "a longer ledger")
    chapters = root / "book" / "chapters"
    chapters.mkdir(parents=True)
    paths = [executed.chapter(chapters, name, executed.figure(f"fig-{name[:3]}", newest(name).name)) for name in RUNS]
    paths.append(executed.chapter(chapters, "notes_reanalysis", executed.figure("fig-not", "")))
    figure_list.write(chapters, figure_records.of_chapters(root, paths))
    editions.create(root, "2026.1")
    return root


@pytest.fixture(scope="module")
def crate(frozen: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The crate of that edition."""
    path = tmp_path_factory.mktemp("crate") / "benchbook-2026.1.zip"
    writing.write(frozen, "2026.1", path)
    return path


def newest(experiment: str) -> Path:
    """The folder of an experiment's newest published run."""
    return max((ROOT / "data" / "published" / experiment).iterdir())


@pytest.fixture
def store_run(home: Path) -> Any:
    """Write a complete run of one trial and give its id.

    version: how far its measurement version is from the experiment's own.
    """

    def write(module: Any, parameters: dict[str, Any], trial: Trial, *, published: bool, version: int = 0) -> str:
        given = module.Parameters.given(parameters)
        measured = module.version + version
        record = {
            "key": given.key(module.name, measured), "experiment": module.name, "measurement_version": measured,
            "parameters": given.model_dump(mode="json"), "profile": "quick", "seed": 1, "blocks": 1, "provenance": {},
        }  # fmt: skip
        writer = RunWriter.create(home / ("data/published" if published else "runs"), record)
        writer.append(trial, writer.begin_session({}))
        folder = writer.finish(sealing.PROVENANCE)
        if published:
            sealing.list_published(home)
        return folder.name

    return write
