"""The bootstrap script on machines that lack something: one clear line and a failure, or the way around it."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from scripts import ROOT, call, link, program

PROGRAMS = "sh dirname cat sed grep ls mkdir rm mv env tail sha256sum flock"


class Machine:
    """A folder with the project's setup files, and a PATH that holds only what is put there."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.bin = folder / "bin"
        self.project.mkdir()
        shutil.copytree(ROOT / "setup", self.project / "setup")
        for name in ("requirements.lock", "pyproject.toml"):
            shutil.copy(ROOT / name, self.project)
        link(self.bin, *PROGRAMS.split())
        self.has("id", '[ "$1" = -u ] && echo 1000 || echo ann')

    def has(self, name: str, script: str, folder: Path | None = None) -> Path:
        return program((folder or self.bin) / name, script)

    def setup(self, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return call(self.project / "setup" / "bootstrap.sh", *options, path=self.bin, **variables)

    def is_set_up(self) -> None:
        """A finished .venv with its stamp, as the script would have left it."""
        self.has("python", "echo Python 3.11.2", self.project / ".venv" / "bin")
        parts = [(self.project / name).read_bytes() for name in ("requirements.lock", "pyproject.toml")]
        parts.append(f"{self.project.resolve()}\nPython 3.11.2\n".encode())
        stamp = hashlib.sha256(b"".join(parts)).hexdigest()
        (self.project / ".venv" / ".benchbook-setup").write_text(f"{stamp}  -\n")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def only_line(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode != 0
    assert result.stdout == ""
    return result.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("exit 127", ("3.11 to 3.13", "apt-get install python3", "conda env create")),
        # The script asks Python itself, so an old one is a Python that believes it is old.
        (
            f"""exec {sys.executable} -c "import sys; sys.version_info = (3, 10, 9); exec('''$2''')" """,
            ("no Python from 3.11",),
        ),
        (
            '[ "$1" = -c ] && echo "$0" && exit; exit 1',
            ("neither pip nor venv", "sudo apt-get install python3-pip", "conda env create"),
        ),
    ],
    ids=["none", "an old one", "one without pip and venv"],
)
def test_without_a_usable_python_one_line_says_what_to_install(machine: Machine, script: str, told: tuple[str, ...]):
    machine.has("python3", script)
    line = only_line(machine.setup(BENCHBOOK_PYTHON="python3"))
    for words in told:
        assert words in line


def test_a_broken_pyenv_shim_is_passed_over(machine: Machine):
    machine.has("python3.11", "echo 'pyenv: python3.11: command not found' >&2; exit 127")
    machine.has("python3", f'[ "$1" = -c ] && exec {sys.executable} "$@"; exit 1')
    machine.has("uv", '[ "$1" = --version ] && echo uv 0.13.8 && exit; echo "asked: $*" >&2; exit 9')
    result = machine.setup()
    assert "making .venv with" in result.stderr
    assert "asked: venv" in result.stderr
    assert result.returncode != 0


def test_a_second_setup_touches_nothing(machine: Machine):
    machine.is_set_up()
    before = sorted(machine.project.rglob("*"))
    result = machine.setup()
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert sorted(machine.project.rglob("*")) == before


@pytest.mark.parametrize("how", ["its lock is changed", "it is moved"])
def test_a_project_is_set_up_again_when(how: str, machine: Machine, tmp_path: Path):
    machine.is_set_up()
    if how == "it is moved":
        machine.project = machine.project.rename(tmp_path / "elsewhere")
    else:
        with (machine.project / "requirements.lock").open("a") as lock:
            lock.write("# changed\n")
    assert "no Python" in only_line(machine.setup(BENCHBOOK_PYTHON="none"))


def test_without_chromium_and_root_one_line_says_what_to_install(machine: Machine):
    machine.is_set_up()
    line = only_line(machine.setup("--browser"))
    assert "sudo apt-get install chromium" in line
    assert "BENCHBOOK_CHROMIUM" in line


def test_any_chromium_will_do(machine: Machine):
    machine.is_set_up()
    machine.has("my-chrome", "exit 0")
    assert machine.setup("--browser", BENCHBOOK_CHROMIUM=str(machine.bin / "my-chrome")).returncode == 0
    assert "is not a program" in only_line(machine.setup("--browser", BENCHBOOK_CHROMIUM="absent-chrome"))


PRETENDING_UV = """
case "$*" in
--version) echo "uv {version} (x86_64-unknown-linux-gnu)" ;;
venv*) {python} -m venv --without-pip .venv && echo "VIRTUAL_ENV=$PWD/.venv" >>.venv/bin/activate ;;
*"install"*"-e ."*)
    echo "$PWD/src" >"$(echo .venv/lib/python3*/site-packages)/_benchbook.pth"
    printf '#!/bin/sh\\nexec "$(dirname "$0")/python" -c "import benchbook; print(benchbook.VALUE)"\\n' \\
        >.venv/bin/benchbook
    chmod +x .venv/bin/benchbook ;;
esac
"""
LOCKED_UV = re.search(r"^uv==([\d.]+)", (ROOT / "setup" / "uv-requirements.txt").read_text(), re.M)[1]


def pretending(machine: Machine, code: str) -> None:
    """A uv that makes a real environment and installs the project in it as uv does, and nothing else. code: its own."""
    sources = machine.project / "src" / "benchbook"
    sources.mkdir(parents=True)
    (sources / "__init__.py").write_text(f"{code}\n")
    link(machine.bin, "chmod", "cut", "mktemp")
    base = getattr(sys, "_base_executable", sys.executable)
    machine.has("python3", f'exec {base} "$@"')
    machine.has("uv", PRETENDING_UV.format(version=LOCKED_UV, python=base))


@pytest.mark.parametrize("locale", ["C", "de_DE.UTF-8", "C.UTF-8"])
def test_in_a_folder_with_any_name_the_program_starts_in_any_locale(tmp_path: Path, locale: str) -> None:
    (tmp_path / "Bücher und mehr").mkdir()
    machine = Machine(tmp_path / "Bücher und mehr")
    pretending(machine, "VALUE = 'it started'")
    done = machine.setup(BENCHBOOK_PYTHON="python3", LC_ALL=locale)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "setup: ready in .venv"), done.stderr
    for each in ("C", locale):
        program = [machine.project / ".venv" / "bin" / "benchbook"]
        started = subprocess.run(program, env={"LC_ALL": each, "PATH": os.defpath}, capture_output=True, text=True)
        assert (started.returncode, started.stdout) == (0, "it started\n"), started.stderr
    assert machine.setup(LC_ALL=locale).stderr == "", "it is set up"


def test_a_program_that_does_not_start_is_not_called_ready(machine: Machine) -> None:
    pretending(machine, "raise ImportError('libsomething.so.1 is missing')")
    done = machine.setup(BENCHBOOK_PYTHON="python3")
    assert "does not start" in only_line(done)
    assert "libsomething.so.1 is missing" in done.stderr
    assert "ready" not in done.stderr
    assert not (machine.project / ".venv" / ".benchbook-setup").exists()


def test_a_uv_of_another_version_only_fetches_the_locked_one(machine: Machine) -> None:
    machine.has("uv", 'case "$*" in --version) echo uv 0.99.0 ;; *) echo "asked: $*" >&2; exit 9 ;; esac')
    machine.has("python3", f'[ "$1" = -c ] && echo {machine.bin}/python3 && exit; exit 1')
    done = machine.setup(BENCHBOOK_PYTHON="python3")
    assert done.returncode != 0
    [asked] = [line for line in done.stderr.splitlines() if line.startswith("asked: ")]
    assert "--require-hashes -r setup/uv-requirements.txt" in asked
    assert "pip sync" not in asked


def pip_exports(folder: Path, **variables: str) -> list[str]:
    environment = {"PATH": os.defpath, "HOME": str(folder), "XDG_CONFIG_DIRS": str(folder), **variables}
    script = [sys.executable, str(ROOT / "setup" / "pip_settings.py")]
    return subprocess.run(script, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()


def test_uv_is_told_what_pip_knows(tmp_path: Path):
    configuration = tmp_path / "pip.conf"
    configuration.write_text(
        "[global]\nindex-url = https://mirror.example/simple\n[install]\nextra-index-url =\n  https://b.example\n"
    )
    exports = pip_exports(tmp_path, PIP_CONFIG_FILE=str(configuration), PIP_CERT="/my ca.pem")
    assert "export UV_DEFAULT_INDEX=https://mirror.example/simple" in exports
    assert "export UV_INDEX=https://b.example" in exports
    assert "export SSL_CERT_FILE='/my ca.pem'" in exports


def test_uv_s_own_settings_win_and_pip_s_environment_beats_its_file(tmp_path: Path):
    configuration = tmp_path / "pip.conf"
    configuration.write_text("[global]\nindex-url = https://mirror.example/simple\n")

    def index(**variables: str) -> list[str]:
        exports = pip_exports(tmp_path, PIP_CONFIG_FILE=str(configuration), **variables)
        return [line for line in exports if "UV_DEFAULT_INDEX" in line]

    assert index() == ["export UV_DEFAULT_INDEX=https://mirror.example/simple"]
    assert index(PIP_INDEX_URL="https://c.example") == ["export UV_DEFAULT_INDEX=https://c.example"]
    assert index(UV_DEFAULT_INDEX="https://d.example") == []


def test_without_pip_settings_uv_keeps_its_own(tmp_path: Path):
    assert pip_exports(tmp_path, PIP_CONFIG_FILE=os.devnull) == []


def test_redis_is_linked_from_debians_tools_and_asked_for_without_root(machine: Machine) -> None:
    link(machine.bin, "command", "ln")
    (machine.project / ".tools").mkdir()
    assert "redis-tools" in only_line(machine.setup("--redis"))
    machine.has("redis-check-rdb", "echo Redis server v=7.0.15")
    assert machine.setup("--redis").returncode == 0
    linked = machine.project / ".tools" / "redis" / "redis-server"
    assert linked.resolve() == machine.bin / "redis-check-rdb"
    assert machine.setup("--redis").returncode == 0, "it is there"


def test_a_redis_server_of_the_system_is_enough(machine: Machine) -> None:
    machine.has("valkey-server", "echo Valkey server v=8.0.0")
    assert machine.setup("--redis").returncode == 0
    assert not (machine.project / ".tools" / "redis").exists()


def test_as_root_on_debian_the_servers_account_is_made_once(machine: Machine) -> None:
    machine.is_set_up()
    made = machine.project / "made"
    machine.has("getent", f'[ "$*" = "passwd benchbook" ] && [ -e {made} ]')
    machine.has("useradd", f'echo "$@" >>{made}')
    machine.has("apt-get", "exit 1")
    assert machine.setup().stderr == "", "without root nothing is made"
    machine.has("id", "echo 0")
    assert "making the system account benchbook" in machine.setup().stderr
    assert machine.setup().stderr == ""
    assert made.read_text() == "--system --no-create-home --shell /usr/sbin/nologin benchbook\n"


def test_an_account_that_cannot_be_made_is_said_and_stops_nothing_and_elsewhere_none_is_made(machine: Machine) -> None:
    machine.is_set_up()
    machine.has("id", "echo 0")
    for name in ("getent", "useradd"):
        machine.has(name, "exit 1")
    assert machine.setup().stderr == "", "it is no Debian"
    machine.has("apt-get", "exit 1")
    done = machine.setup()
    assert done.returncode == 0
    assert "PostgreSQL will run as postgres or nobody" in done.stderr
