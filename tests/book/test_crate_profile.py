"""The crate passes the validator of its profile, and the validator is shown to be able to say no."""

import json
import zipfile
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import requests
from requests.adapters import HTTPAdapter
from rocrate_validator import models, services

CONTEXT = "https://w3id.org/ro/crate/1.1/context"
Validate = Callable[..., list[str]]


@pytest.fixture(scope="module")
def without_network() -> Iterator[None]:
    """The one document that the validator asks for comes from the installed library; nothing else is answered."""
    known = (files("rocrate") / "data" / "ro-crate.jsonld").read_bytes()

    def send(self: HTTPAdapter, request: requests.PreparedRequest, **_: Any) -> requests.Response:
        if request.url != CONTEXT:
            raise requests.ConnectionError(f"no network: {request.url}")
        response = requests.Response()
        response.status_code, response.url, response.request = 200, CONTEXT, request
        response.headers["Content-Type"] = "application/ld+json"
        response._content = known
        return response

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HTTPAdapter, "send", send)
        yield


@pytest.fixture(scope="module")
def validate(without_network: None) -> Validate:
    """What the validator says of a folder, one line each; an empty list is a pass."""

    def ask(folder: Path, severity: models.Severity = models.Severity.RECOMMENDED) -> list[str]:
        asked = {"rocrate_uri": str(folder), "profile_identifier": "process-run-crate", "no_cache": True}
        result = services.validate(services.ValidationSettings(**asked, requirement_severity=severity))
        assert result.executed_checks, "it looked at something"
        return [f"{issue.check.identifier}: {issue.message}" for issue in result.get_issues()]

    return ask


@pytest.fixture
def folder(crate: Path, tmp_path: Path) -> Path:
    with zipfile.ZipFile(crate) as archive:
        archive.extractall(tmp_path / "crate")
    return tmp_path / "crate"


def test_the_crate_fulfils_what_the_profile_requires_and_what_it_recommends(folder: Path, validate: Validate) -> None:
    assert validate(folder) == []


@pytest.mark.long
def test_a_book_that_is_hosted_nowhere_lacks_only_what_the_profile_recommends(folder: Path, validate: Validate) -> None:
    path = folder / "ro-crate-metadata.json"
    metadata = json.loads(path.read_text())
    for entity in metadata["@graph"]:
        if "spdx.org" not in str(entity.get("url")):
            entity.pop("url", None)
    path.write_text(json.dumps(metadata))
    assert validate(folder, models.Severity.REQUIRED) == []


def test_the_validator_notices_a_file_that_is_not_there(folder: Path, validate: Validate) -> None:
    (folder / "data" / "claims.csv").unlink()
    assert any("data/claims.csv" in issue for issue in validate(folder))
