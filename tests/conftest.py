"""Which tests share a worker and which start first, and the project copies that tests write into instead of the clone.

The tests of a file stay on one worker, with what they share. Those that change the machine do so too, since they run
one after the other. Tests in a browser, and of killed runs, share little and take long: each goes where there is room.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import benchbook
from benchbook import project
from benchbook.reuse import foreign

ROOT = Path(__file__).parents[1]

FIRST = (
    "printed", "machine", "test_killed_runs", "test_killed_parts", "test_killed_owners", "test_full_disks",
    "test_run", "test_tiny_run", "test_noise_floor_run", "contract", "test_pages",
    "test_archive_page", "test_accessibility", "test_paper", "test_figures", "test_every_claim",
)  # fmt: skip
"""Groups and files that take longest, in the order in which they start; one that is missing starts later, no more."""

FOREIGN = ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "CLICOLOR_FORCE", "LANG", "LANGUAGE", "SOURCE_DATE_EPOCH")
"""Variables beside those of Benchbook, PostgreSQL, Jupyter and the locale that change what a command prints."""

# How long an example takes decides no test.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_configure(config: pytest.Config) -> None:
    """Forget the surroundings of whoever starts the tests: variables, locale, time zone, settings of other programs.

    In the background of a script this process ignores Ctrl-C, and so would every command that a test ends by it.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in [*os.environ]:
        if name.startswith(("BENCHBOOK_", "PG", "LC_", "JUPYTER_")) or name in FOREIGN:
            del os.environ[name]
    own = tempfile.TemporaryDirectory(prefix="benchbook-tests-")
    config.add_cleanup(own.cleanup)
    os.environ |= {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
    os.environ |= {name: f"{own.name}/{name}" for name in ("XDG_STATE_HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR")}
    time.tzset()


@pytest.fixture(scope="session", autouse=True)
def runs_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A test that takes no project of its own sees the clone, but no run that was measured in it or added to it."""
    own = tmp_path_factory.mktemp("of-no-clone")

    def elsewhere(real: Callable[[], Path]) -> Callable[[], Path]:
        return lambda: own / found.name if (found := real()).parent == ROOT else found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(project, "runs", elsewhere(project.runs))
        patch.setattr(foreign, "folder", elsewhere(foreign.folder))
        yield


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.get_closest_marker("machine"):
        item.add_marker(pytest.mark.xdist_group("machine"))
    elif not any(map(item.get_closest_marker, ("xdist_group", "browser", "faults"))):
        item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of those that are left to run: the first builds the book that browsers look at, while the next ones need none."""
    items.sort(key=turn)
    builds = next((item for item in items if "built_book" in getattr(item, "fixturenames", ())), None)
    items.sort(key=lambda item: item is not builds)


def turn(item: pytest.Item) -> int:
    """Place of a test's group or file in the order in which they start."""
    marker = item.get_closest_marker("xdist_group")
    name = item.path.stem if marker is None else marker.args[0]
    return FIRST.index(name) if name in FIRST else len(FIRST)


@contextmanager
def project_copy(folder: Path) -> Iterator[dict[str, str]]:
    """A project in this folder to measure and publish in, for as long as it lasts the one that commands take."""
    for name in ("data/published", "tmp"):
        (folder / name).mkdir(parents=True)
    shutil.copyfile(ROOT / "_config.yml", folder / "_config.yml")
    for path in (ROOT / "data").glob("*.csv"):
        shutil.copyfile(path, folder / "data" / path.name)
    for name in ("notebooks", "data/notes"):
        shutil.copytree(ROOT / name, folder / name)
    # Beside pytest's own folders: an unprivileged server must reach it, and a socket's path is at most 107 bytes long.
    scratch = Path(tempfile.mkdtemp(prefix="benchbook-test-", dir="/var/tmp"))
    scratch.chmod(0o755)
    environment = {
        "BENCHBOOK_HOME": str(folder), "BENCHBOOK_SCRATCH": str(scratch), "TMPDIR": str(folder / "tmp"),
        "BENCHBOOK_LOCK_FOLDER": str(folder / "tmp"),
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        patch.setattr(tempfile, "tempdir", environment["TMPDIR"])
        yield environment
    shutil.rmtree(scratch, ignore_errors=True)


@pytest.fixture(scope="session")
def projects() -> Callable[[Path], AbstractContextManager[dict[str, str]]]:
    """Makes such a project."""
    return project_copy


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A project of its own to measure and publish in, with its own host lock and its own scratch disk."""
    with project_copy(tmp_path / "home") as environment:
        yield Path(environment["BENCHBOOK_HOME"])


@pytest.fixture
def started(home: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that are ended with the test."""
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def module_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The same, shared by the tests of a module."""
    with project_copy(tmp_path_factory.mktemp("project") / "home") as environment:
        yield Path(environment["BENCHBOOK_HOME"])


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package whose files may be changed."""
    package = tmp_path / "benchbook"
    shutil.copytree(Path(benchbook.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(benchbook, "__file__", str(package / "__init__.py"))
    return package
