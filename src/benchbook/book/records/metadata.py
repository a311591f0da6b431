"""The facts of CITATION.cff for other readers, and in it what settings and released versions say.

CITATION.cff is written by hand down to MARK; below it stand its address, its DOI and the state of its data. From all of
it codemeta.json and .zenodo.json are made.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from benchbook.book.records import inputs, references, site, versions
from benchbook.book.records.site import Site
from benchbook.errors import BenchbookError

CITATION = "CITATION.cff"
FILES = ("codemeta.json", ".zenodo.json")
MARK = "# Written by `metadata.write` from _config.yml and data/versions.csv; edit these instead.\n"
_LICENCES = {"Apache-2.0": "https://spdx.org/licenses/Apache-2.0", "CC-BY-4.0": "https://spdx.org/licenses/CC-BY-4.0"}
_WORKS = {"report": "CreativeWork", "software": "SoftwareApplication"}
"""What notes and engines are to codemeta, by their type in CITATION.cff; of any other it is an issue at an engine's."""
_RELATIONS = {"report": "reviews"}
"""What the book does with a reference, in DataCite's words; all others it references."""


def texts(root: Path) -> dict[str, str]:
    """Each file's name to what it must hold; raises BenchbookError when CITATION.cff lacks something."""
    whole, where = references.book(root), site.of(root)
    made = {"codemeta.json": _codemeta(whole, where, root), ".zenodo.json": _zenodo(whole, where)}
    found = {name: json.dumps(content, indent=2, ensure_ascii=False) + "\n" for name, content in made.items()}
    return {CITATION: _citation(root, whole, where), **found}


def write(root: Path) -> None:
    """Bring the files in step with settings and CITATION.cff, and give a released version its state of the data.

    Raises BenchbookError where that version stands for other data already, or has no date-released.
    """
    whole = references.book(root)
    version, released = str(whole["version"]), whole.get("date-released")
    if not versions.is_development(version):
        if not released:
            raise BenchbookError(f"{CITATION} has no date-released for {version}", "give the day of its release")
        versions.release(root, version, str(released))
    for name, text in texts(root).items():
        inputs.write_atomically(root / name, text)


def _citation(root: Path, whole: Mapping[str, Any], where: Site) -> str:
    """CITATION.cff as it is down to MARK, and below it what follows from elsewhere."""
    own = (root / CITATION).read_text("utf-8").partition(MARK)[0].rstrip("\n")
    known = versions.released(root).get(str(whole["version"]))
    derived: dict[str, Any] = {
        "url": where.address,
        "repository-code": where.repository,
        "doi": where.doi,
        "identifiers": [*_identified(known)],
    }
    below = {name: value for name, value in derived.items() if value}
    return f"{own}\n{MARK}{yaml.safe_dump(below, sort_keys=False, width=200) if below else ''}"


def _identified(known: versions.Version | None) -> Iterable[dict[str, str]]:
    if known:
        yield {
            "type": "other",
            "value": f"sha256:{known.data_sha256}",
            "description": "The published runs: SHA-256 of data/published/SHA256SUMS",
        }


def _codemeta(whole: Mapping[str, Any], where: Site, root: Path) -> dict[str, Any]:
    known = versions.released(root).get(str(whole["version"]))
    related = [*whole.get("references", ())]
    found = {
        "@context": "https://w3id.org/codemeta/3.0",
        "type": "SoftwareSourceCode",
        "name": whole["title"],
        "version": str(whole["version"]),
        "dateModified": str(whole.get("date-released") or ""),
        "license": [_LICENCES[name] for name in whole["license"]],
        "author": [_codemeta_author(author) for author in whole["authors"]],
        "keywords": list(whole["keywords"]),
        "programmingLanguage": ["Python", "Go", "C", "C++", "Rust"],
        "description": str(whole.get("abstract") or ""),
        "url": where.address,
        "codeRepository": where.repository,
        "identifier": [*filter(None, [where.doi_address]), *(each["value"] for each in _identified(known))],
        "citation": [
            {"type": _WORKS[each["type"]], "name": each["title"], "url": each["url"]}
            for each in related
            if each["type"] in _WORKS
        ],
        "relatedLink": [each["url"] for each in related if each["type"] not in _WORKS],
    }
    return {name: value for name, value in found.items() if value}


def _codemeta_author(author: Mapping[str, Any]) -> dict[str, str]:
    if author.get("family-names"):
        return {"type": "Person", "givenName": author.get("given-names", ""), "familyName": author["family-names"]}
    return {"type": "Organization", "name": author["name"]}


def _zenodo(whole: Mapping[str, Any], where: Site) -> dict[str, Any]:
    places = ((where.address, "isDocumentedBy"), (where.repository, "isDerivedFrom"))
    related = [
        *((address, relation) for address, relation in places if address),
        *((each["url"], _RELATIONS.get(each["type"], "references")) for each in whole.get("references", ())),
    ]
    found = {
        "title": whole["title"],
        "upload_type": "software",
        "version": str(whole["version"]),
        "publication_date": str(whole.get("date-released") or ""),
        "doi": where.doi,
        "creators": [{"name": references.name_of(author)} for author in whole["authors"]],
        "license": whole["license"][0].lower(),
        "keywords": list(whole["keywords"]),
        "description": str(whole.get("abstract") or ""),
        "related_identifiers": [{"identifier": address, "relation": relation} for address, relation in related],
        "notes": "Code under Apache-2.0; text, data and figures under CC BY 4.0.",
    }
    return {name: value for name, value in found.items() if value}
