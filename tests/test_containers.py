"""What containers and a public forge are given is valid, and names what there is."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOW = ROOT / ".github" / "workflows" / "book.yml"
JOBS = yaml.safe_load(WORKFLOW.read_text())["jobs"]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
TARGETS = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
HADOLINT = Path(sys.executable).parent / "hadolint"


def made(text: str) -> set[str]:
    """The targets that a text makes."""
    calls = re.findall(r"\bmake ((?:[a-z0-9-]+ ?)+)", text)
    return {target for call in calls for target in call.split()} - {"-y", "and", "git"}


def check_finds_nothing(*command: str | Path) -> None:
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_workflow_is_one_by_the_forges_schema() -> None:
    schema = ("--builtin-schema", "vendor.github-workflows")
    check_finds_nothing(sys.executable, "-m", "check_jsonschema", *schema, WORKFLOW)


def test_its_jobs_run_what_the_readme_says_and_rest_on_each_other() -> None:
    steps = {name: [step["run"] for step in job["steps"] if "run" in step] for name, job in JOBS.items()}
    assert {"make check", "make test"} <= set(steps["test"])
    for name in ("pages", "release"):
        assert set(JOBS[name]["needs"]) == {"test", "edition"}, "nothing is published that was not tested"
    for runs in steps.values():
        for run in runs:
            assert made(run.split("install")[0]) <= TARGETS, run


@pytest.mark.skipif(not HADOLINT.is_file(), reason="hadolint has no program for this machine")
def test_the_image_is_described_well() -> None:
    # Versions are those of the base image's release, which is fixed.
    check_finds_nothing(HADOLINT, "--ignore", "DL3008", ROOT / "Dockerfile")


def test_the_image_is_made_by_targets_that_exist_and_keeps_what_is_made_here_out() -> None:
    run = next(line for line in DOCKERFILE.splitlines() if line.startswith("RUN make"))
    assert set(re.findall(r"make ([a-z-]+)", run)) <= TARGETS
    ignored = set((ROOT / ".dockerignore").read_text().split())
    assert {".venv", ".tools", "runs", "_build"} <= ignored
    assert ".git" not in ignored, "a run records the commit that measured it"


def test_the_development_container_opens_the_same_image() -> None:
    content = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    build = content["build"]
    assert (ROOT / ".devcontainer" / build["dockerfile"]).resolve() == ROOT / "Dockerfile"
    assert (ROOT / ".devcontainer" / build["context"]).resolve() == ROOT
    python = content["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"]
    [workdir] = re.findall(r"^WORKDIR (\S+)", DOCKERFILE, re.MULTILINE)
    assert python == f"{workdir}/.venv/bin/python"


def test_whatever_runs_before_anything_of_ours_is_named_by_a_hash() -> None:
    used = [step["uses"] for job in JOBS.values() for step in job["steps"] if "uses" in step]
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", each)] == []
    images = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    images += [job["container"] for job in JOBS.values() if "container" in job]
    assert [each for each in images if not re.fullmatch(r"[\w.:-]+@sha256:[0-9a-f]{64}", each)] == []
    assert len(set(images)) == 1, "what is tested is what the image is made of"


def test_every_python_package_has_a_hash_and_what_builds_one_has_too() -> None:
    script = (ROOT / "setup" / "bootstrap.sh").read_text().replace("\\\n", " ")
    calls = re.findall(r'"\$uv" pip (?:install|sync) [^|&\n]*', script)
    assert len(calls) == 6
    for call in calls:
        own = "--no-deps --no-build-isolation -e ." in call
        assert own or "--require-hashes" in call, call
        assert "--no-build" in call, f"{call}: it would fetch what builds a package, without a hash"
    tools = (ROOT / "setup" / "source-requirements.txt").read_text()
    assert set(re.findall(r"^([a-z0-9-]+)==", tools, re.MULTILINE)) == {"pybind11", "setuptools"}
    assert tools.count("--hash=sha256:") >= 2


def test_security_names_what_is_fetched_without_a_hash_of_ours() -> None:
    text = (ROOT / "SECURITY.md").read_text()
    fetched = text.partition("**What it fetches.**")[2].partition("\n\n")[0]
    for each in ("apt", "Maven", "conda", "connection-pool", "pygm", "digest"):
        assert each in fetched, each
    for script in (ROOT / "setup").glob("*.sh"):
        for line in script.read_text().splitlines():
            assert not line.startswith("mvn ") or "--strict-checksums" in line, script.name
