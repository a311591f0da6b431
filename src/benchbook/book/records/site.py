"""Where the book and its repository are found, by its settings: each is "" until somebody writes it there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchbook.book.records import inputs
from benchbook.errors import BenchbookError

FILE = "_config.yml"
DOI = "benchbook_doi"
"""Its name among the settings of Sphinx."""
_DOI = re.compile(r"10\.\d{4,9}/[-._;()/:A-Za-z0-9]+")
_ADDRESS = re.compile(r"https?://[^\s/]+\.?[^\s]*")


@dataclass(frozen=True)
class Site:
    """address: of the book, with a slash at its end. repository: its address. doi: such as 10.5281/zenodo.1234567."""

    address: str = ""
    repository: str = ""
    doi: str = ""

    @property
    def doi_address(self) -> str:
        """Where the DOI leads; "" without one."""
        return f"https://doi.org/{self.doi}" if self.doi else ""


def of(root: Path) -> Site:
    """The settings of the book in this folder; raises BenchbookError where one of them cannot be what it should."""
    content = inputs.read_once(root / FILE, yaml.safe_load) or {}
    return checked(
        _text(content, "html", "baseurl"), _text(content, "repository", "url"), _text(content, "sphinx", "config", DOI)
    )


def _text(content: Mapping[str, Any], *names: str) -> str:
    found: Any = content
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return str(found or "").strip()


def checked(address: str, repository: str, doi: str) -> Site:
    """The same from their texts."""
    for name, text in (("html.baseurl", address), ("repository.url", repository)):
        if text and not _ADDRESS.fullmatch(text):
            raise BenchbookError(
                f"{name} in {FILE} is {text!r}, which is no address",
                "write all of it, such as https://example.org/benchbook/, or leave it empty",
            )
    if doi and not _DOI.fullmatch(doi):
        raise BenchbookError(
            f"sphinx.config.{DOI} in {FILE} is {doi!r}, which is no DOI",
            "write it as 10.5281/zenodo.1234567, without https://doi.org/ before it, or leave it empty",
        )
    return Site(address if not address or address.endswith("/") else f"{address}/", repository, doi)
