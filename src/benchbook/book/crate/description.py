"""Describe an edition's files in a folder as an RO-Crate: who made what, from what, with which code.

Profile: Process Run Crate 0.5, on RO-Crate 1.1. Every run is a CreateAction: its instrument is the code at the commit
that measured, its objects are the parameters and the ledger, its results are the run's files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from benchbook import files
from benchbook.book.crate import contents
from benchbook.book.crate.contents import CrateFile
from benchbook.book.records import figure_list, pool_words, references, site
from benchbook.store import schema

PROFILE, PROFILE_VERSION = "https://w3id.org/ro/wfrun/process/0.5", "0.5"
TERMS = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}
"""The profile's own terms that are used here; written out, so that reading a crate needs no second context."""
_LICENCES = {
    "Apache-2.0": "Apache License 2.0",
    "CC-BY-4.0": "Creative Commons Attribution 4.0 International",
}


def describe(
    folder: Path, edition: Mapping[str, Any], figures: Sequence[Mapping[str, Any]], parts: Iterable[CrateFile]
) -> ROCrate:
    """The crate of an edition whose files lie in ``folder``; writing its metadata is left to the caller.

    parts: the files, at their paths in the folder. Raises BenchbookError when CITATION.cff is missing.
    """
    crate = ROCrate(version="1.1")
    crate.metadata.extra_terms.update(TERMS)
    whole, base = references.book(folder), references.base_url(folder)
    licences = {name: _licence(crate, name) for name in _LICENCES}
    authors = [_author(crate, number, author, base) for number, author in enumerate(whole["authors"], 1)]
    for part in parts:
        _file(crate, folder, part, licences)
    known = {run["run_id"]: run for figure in figures for run in figure_list.behind(figure)}
    actions = [_action(crate, folder, edition, run, known[run["run_id"]], authors, base) for run in edition["runs"]]
    drawn = [_figure(crate, folder, edition, figure, authors, base) for figure in figures]
    _root(crate, whole, edition, authors, licences, base)
    if doi := site.of(folder).doi_address:
        crate.root_dataset["identifier"] = doi
    crate.root_dataset["mentions"] = [*actions, *drawn]
    return crate


def _add(crate: ROCrate, identity: str, kind: str, **properties: Any) -> Any:
    """A contextual entity; of two with one id the first stays."""
    known = crate.get(identity)
    if known is not None:
        return known
    entity = crate.add(ContextEntity(crate, identity, properties={"@type": kind}))
    for name, value in properties.items():
        if value not in (None, "", []):
            entity[name] = _compact(value)
    return entity


def _compact(value: Any) -> Any:
    """A list of one as that one, which is how RO-Crate wants it written."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _licence(crate: ROCrate, name: str) -> Any:
    address = f"https://spdx.org/licenses/{name}"
    return _add(crate, address, "CreativeWork", name=_LICENCES[name], identifier=name, url=address)


def _author(crate: ROCrate, number: int, author: Mapping[str, Any], base: str) -> Any:
    """A person, or a group whose address is the book's unless CITATION.cff names another."""
    kind = "Person" if author.get("family-names") else "Organization"
    name = " ".join(str(author[part]) for part in ("given-names", "family-names", "name") if author.get(part))
    return _add(crate, author.get("orcid") or f"#author-{number}", kind, name=name, url=author.get("website") or base)


def _file(crate: ROCrate, folder: Path, part: CrateFile, licences: Mapping[str, Any]) -> None:
    path = folder / part.path
    entity = crate.add_file(
        path,
        part.path,
        properties={
            "name": part.path,
            "description": part.about,
            "encodingFormat": part.media_type,
            "contentSize": str(path.stat().st_size),
            "sha256": files.sha256(path),
        },
    )
    entity["license"] = _compact([licences[name] for name in part.licences])


def _code(crate: ROCrate, folder: Path, where: Mapping[str, Any], base: str) -> Any:
    """The program that measured, as its run recorded it."""
    commit, dirty = where.get("commit"), where.get("dirty")
    settings = yaml.safe_load((folder / "_config.yml").read_text("utf-8"))
    changed = ", with uncommitted local changes" if dirty else ""
    return _add(
        crate,
        f"{base}#code-{commit or 'without-commit'}{'-changed' if dirty else ''}",
        "SoftwareSourceCode",
        name="Benchbook",
        description=f"As at commit {commit}{changed}." if commit else "Its commit was not recorded.",
        version=where.get("benchbook_version"),
        identifier=f"swh:1:rev:{commit}" if commit and not dirty else None,
        url=base,
        codeRepository=(settings.get("repository") or {}).get("url"),
        license=crate.get(f"https://spdx.org/licenses/{contents.CODE}"),
    )


def _action(
    crate: ROCrate,
    folder: Path,
    edition: Mapping[str, Any],
    run: Mapping[str, Any],
    known: Mapping[str, Any],
    authors: Sequence[Any],
    base: str,
) -> Any:
    """One run. run: as the edition names it. known: what stands below its figures."""
    paths = contents.of_run(run)
    record = schema.read_record((folder / paths[0]).parent, published=True)
    parameters = [
        _add(
            crate,
            f"#run-{run['run_id']}-{each['name']}",
            "PropertyValue",
            name=each["name"],
            value=each["value"],
            unitText=each["unit"],
            description=each["meaning"],
        )
        for each in known["settings"]
    ]
    ledger = contents.ledger_of(edition, run)
    places = [known[name] for name in ("engine", "host") if known[name]]
    return _add(
        crate,
        f"#run-{run['run_id']}",
        "CreateAction",
        name=f"Run {run['run_id']} of {run['experiment']}",
        description=f"{known['command']} ({'; '.join(places) or 'no engine'})",
        startTime=record["started_at"],
        endTime=record["finished_at"],
        actionStatus="http://schema.org/CompletedActionStatus",
        agent=list(authors),
        instrument=_code(crate, folder, record["provenance"], base),
        object=[*parameters, *([crate.get(ledger)] if ledger else [])],
        result=[crate.get(path) for path in paths],
    )


def _figure(
    crate: ROCrate,
    folder: Path,
    edition: Mapping[str, Any],
    figure: Mapping[str, Any],
    authors: Sequence[Any],
    base: str,
) -> Any:
    """One figure, with its files and what they were computed from: a run's files, or the notes' own numbers."""
    runs = {run["run_id"]: run for run in edition["runs"]}
    measured = [path for run in figure_list.behind(figure) for path in contents.of_run(runs[run["run_id"]])]
    behind = measured or ["data/notes/datapackage.json"]
    sources = [crate.get(path) for path in (*behind, f"notebooks/{figure['chapter']}.ipynb")]
    return _add(
        crate,
        f"#{figure['id']}",
        "CreativeWork",
        name=figure["title"],
        description=" ".join(filter(None, (figure["caption"], _sentence(figure.get("origin", "")), _rests_on(figure)))),
        identifier=figure["id"],
        url=f"{base}figures/{edition['name']}/{figure['id']}.html" if base else "",
        author=list(authors),
        license=crate.get(f"https://spdx.org/licenses/{contents.TEXT}"),
        encoding=[crate.get(f"{contents.FIGURES}/{path.name}") for path in _files_of(folder, figure)],
        isBasedOn=[source for source in sources if source is not None],
    )


def _rests_on(figure: Mapping[str, Any]) -> str:
    """All that a figure of several runs rests on, with every commit; "" for any other, whose run says it."""
    pool = (figure["run"] or {}).get("pool")
    if not pool or len(pool["runs"]) < 2:
        return ""
    runs, commits = pool_words.listing(pool["runs"]), pool_words.listing(each["commit"] for each in pool["commits"])
    return f"It rests on the runs {runs}, pooled: {pool_words.sentence(pool)}, {commits}."


def _sentence(half: str) -> str:
    return f"{half[:1].upper()}{half[1:]}." if half else ""


def _files_of(folder: Path, figure: Mapping[str, Any]) -> list[Path]:
    return sorted((folder / contents.FIGURES).glob(f"{figure['id']}.*"))


def _root(
    crate: ROCrate,
    whole: Mapping[str, Any],
    edition: Mapping[str, Any],
    authors: Sequence[Any],
    licences: Mapping[str, Any],
    base: str,
) -> None:
    profile = _add(crate, PROFILE, "CreativeWork", name="Process Run Crate", version=PROFILE_VERSION)
    root = crate.root_dataset
    root["name"] = f"{whole['title']}, edition {edition['name']}"
    root["description"] = (
        f"The edition {edition['name']}: {len(edition['runs'])} published runs with all their measurements, the ledger "
        f"of claims, the notebooks, and {len(edition['figures'])} figures with their tables. `benchbook verify --crate "
        "FILE` checks all of it."
    )
    root["datePublished"] = edition["created"]
    root["version"] = edition["version"]
    root["keywords"] = _compact(list(whole.get("keywords", ())))
    if base:
        root["url"] = base
    root["author"] = _compact(list(authors))
    root["publisher"] = authors[0]
    root["license"] = list(licences.values())
    root["conformsTo"] = profile
