"""pyproject.toml, requirements.lock and environment.yml say the same."""

import importlib.util
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
LOCKS = {
    "requirements.lock": ("project", "build", "dev", "probes"),
    "setup/uv-requirements.txt": ("bootstrap",),
    "workflow/requirements.txt": ("workflow",),
}


def declared(*groups: str) -> dict[str, SpecifierSet]:
    """Name -> range, of the project's own dependencies (group "project") or of a dependency group."""
    known = PROJECT["dependency-groups"] | {"project": PROJECT["project"]["dependencies"]}
    requirements = [Requirement(line) for group in groups for line in known[group]]
    return {canonicalize_name(requirement.name): requirement.specifier for requirement in requirements}


def conda_ranges() -> dict[str, SpecifierSet]:
    """Name -> range; conda's bare ``3.11.*`` is pip's ``==3.11.*``."""
    split = [line.partition(" ") for line in CONDA if isinstance(line, str)]
    return {name: SpecifierSet(f"=={text}" if text[:1].isdigit() else text) for name, _, text in split}


def locked(name: str) -> Iterator[tuple[str, str, list[str]]]:
    """(package, version, hashes) of each entry of a lock file; a package can have one entry per Python version."""
    text = "\n".join(line for line in (ROOT / name).read_text().splitlines() if not line.lstrip().startswith("#"))
    for entry in re.split(r"\n(?=\S)", text.strip()):
        package, version = re.match(r"([A-Za-z0-9._-]+)==(\S+)", entry).groups()
        yield canonicalize_name(package), version, re.findall(r"--hash=sha256:[0-9a-f]{64}\b", entry)


def test_conda_gives_the_oldest_python_that_the_project_allows_and_by_pip_this_project_alone():
    allowed = SpecifierSet(PROJECT["project"]["requires-python"])
    oldest = next(f"3.{minor}" for minor in range(8, 30) if f"3.{minor}.0" in allowed)
    assert conda_ranges()["python"] == SpecifierSet(f"=={oldest}.*")
    assert PROJECT["tool"]["ruff"]["target-version"] == "py" + oldest.replace(".", "")
    assert [line for line in CONDA if isinstance(line, dict)] == [{"pip": ["-e ."]}]


def test_a_package_named_for_conda_and_for_pip_has_one_range():
    ranges = declared("project", "build", "dev", "probes", "bootstrap")
    both = conda_ranges().keys() & ranges.keys()
    assert "uv" in both
    assert {name: conda_ranges()[name] for name in both} == {name: ranges[name] for name in both}


@pytest.mark.parametrize(("lock", "groups"), list(LOCKS.items()))
def test_the_lock_satisfies_every_range(lock: str, groups: tuple[str, ...]):
    entries = list(locked(lock))
    for name, allowed in declared(*groups).items():
        versions = [version for package, version, _ in entries if package == name]
        assert versions, f"{name} is not in {lock}; run make lock"
        outside = [version for version in versions if version not in allowed]
        assert not outside, f"{lock} has {name} {outside}, pyproject.toml wants {allowed}; run make lock"


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_a_hash_and_no_index_is_named(lock: str):
    entries = list(locked(lock))
    assert entries
    assert [package for package, _, hashes in entries if not hashes] == []
    assert re.findall(r"\S*://\S*|--\S*index\S*|--find-links|--trusted-host", (ROOT / lock).read_text()) == []


@pytest.mark.parametrize("package", ["numpy", "pandas", "scipy", "statsmodels", "plotly", "papermill", "sphinx"])
def test_an_installed_package_is_compiled(package: str):
    # Not so everywhere by itself: under PYTHONDONTWRITEBYTECODE each process would compile it again, for seconds.
    source = importlib.util.find_spec(package).origin
    assert Path(importlib.util.cache_from_source(source)).is_file()
