"""The facts of CITATION.cff for other readers: codemeta.json and .zenodo.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchbook.book.records import inputs, references

FILES = ("codemeta.json", ".zenodo.json")
_LICENCES = {"Apache-2.0": "https://spdx.org/licenses/Apache-2.0", "CC-BY-4.0": "https://spdx.org/licenses/CC-BY-4.0"}


def texts(root: Path) -> dict[str, str]:
    """Each file's name to what it must hold; raises BenchbookError when CITATION.cff lacks something."""
    whole = references.book(root)
    made = {"codemeta.json": _codemeta(whole, root), ".zenodo.json": _zenodo(whole)}
    return {name: json.dumps(content, indent=2, ensure_ascii=False) + "\n" for name, content in made.items()}


def write(root: Path) -> None:
    """Bring both files in step with CITATION.cff."""
    for name, text in texts(root).items():
        inputs.write_atomically(root / name, text)


def _codemeta(whole: Mapping[str, Any], root: Path) -> dict[str, Any]:
    url = references.base_url(root)
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "type": "SoftwareSourceCode",
        "name": whole["title"],
        "version": str(whole["version"]),
        "dateModified": str(whole["date-released"]),
        "license": [_LICENCES[name] for name in whole["license"]],
        "author": [_codemeta_author(author) for author in whole["authors"]],
        "keywords": list(whole["keywords"]),
        "programmingLanguage": ["Python", "Go", "C++"],
        **_described(whole),
        **({"url": url} if url else {}),
    }


def _described(whole: Mapping[str, Any]) -> dict[str, str]:
    return {"description": str(whole["abstract"])} if whole.get("abstract") else {}


def _codemeta_author(author: Mapping[str, Any]) -> dict[str, str]:
    if author.get("family-names"):
        return {"type": "Person", "givenName": author.get("given-names", ""), "familyName": author["family-names"]}
    return {"type": "Organization", "name": author["name"]}


def _zenodo(whole: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "title": whole["title"],
        "upload_type": "software",
        "version": str(whole["version"]),
        "publication_date": str(whole["date-released"]),
        "creators": [{"name": references.name_of(author)} for author in whole["authors"]],
        "license": whole["license"][0].lower(),
        "keywords": list(whole["keywords"]),
        **_described(whole),
        "notes": "Code under Apache-2.0; text, data and figures under CC BY 4.0.",
    }
