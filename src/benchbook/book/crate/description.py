"""Describe an edition's files in a folder as an RO-Crate: who made what, from what, with which code.

Profile: Process Run Crate 0.5, on RO-Crate 1.1. Every run is a CreateAction: its instrument is the code at the commit
that measured, its objects are the parameters and the ledger, its results are the run's files.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

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
_LICENCES = {"Apache-2.0": "Apache License 2.0", "CC-BY-4.0": "Creative Commons Attribution 4.0 International"}


def describe(
    folder: Path, edition: Mapping[str, Any], figures: Sequence[Mapping[str, Any]], parts: Iterable[CrateFile]
) -> ROCrate:
    """The crate of an edition whose files lie in ``folder``; writing its metadata is left to the caller.

    parts: the files, at their paths in the folder. Raises BenchbookError when CITATION.cff is missing.
    """
    made = _Description(folder, edition)
    for part in parts:
        made.file(part)
    known = {run["run_id"]: run for figure in figures for run in figure_list.behind(figure)}
    actions = [made.action(run, known[run["run_id"]]) for run in edition["runs"]]
    made.root([*actions, *(made.figure(figure) for figure in figures)])
    return made.crate


class _Description:
    """The crate, with what all of its entities refer to: where the book is hosted, its authors, and the licences."""

    def __init__(self, folder: Path, edition: Mapping[str, Any]) -> None:
        self.folder, self.edition = folder, edition
        self.crate = ROCrate(version="1.1")
        self.crate.metadata.extra_terms.update(TERMS)
        self.whole, self.site = references.book(folder), site.of(folder)
        self.base = self.site.address
        self.licences = {
            name: self.add(address, "CreativeWork", name=words, identifier=name, url=address)
            for name, words in _LICENCES.items()
            for address in [f"https://spdx.org/licenses/{name}"]
        }
        self.authors = [self._author(number, author) for number, author in enumerate(self.whole["authors"], 1)]

    def add(self, identity: str, kind: str, **properties: Any) -> Any:
        """A contextual entity; of two with one id the first stays."""
        known = self.crate.get(identity)
        if known is not None:
            return known
        entity = self.crate.add(ContextEntity(self.crate, identity, properties={"@type": kind}))
        for name, value in properties.items():
            if value not in (None, "", []):
                entity[name] = _compact(value)
        return entity

    def _author(self, number: int, author: Mapping[str, Any]) -> Any:
        """A person, or a group whose address is the book's unless CITATION.cff names another."""
        kind = "Person" if author.get("family-names") else "Organization"
        name = " ".join(str(author[part]) for part in ("given-names", "family-names", "name") if author.get(part))
        identity = author.get("orcid") or f"#author-{number}"
        return self.add(identity, kind, name=name, url=author.get("website") or self.base)

    def file(self, part: CrateFile) -> None:
        """A file that lies in the folder."""
        path = self.folder / part.path
        properties = {
            "name": part.path,
            "description": part.about,
            "encodingFormat": part.media_type,
            "contentSize": str(path.stat().st_size),
            "sha256": files.sha256(path),
        }
        entity = self.crate.add_file(path, part.path, properties=properties)
        entity["license"] = _compact([self.licences[name] for name in part.licences])

    def _code(self, where: Mapping[str, Any]) -> Any:
        """The program that measured, as its run recorded it."""
        commit, dirty = where.get("commit"), where.get("dirty")
        changed = ", with uncommitted local changes" if dirty else ""
        return self.add(
            f"{self.base}#code-{commit or 'without-commit'}{'-changed' if dirty else ''}",
            "SoftwareSourceCode",
            name="Benchbook",
            description=f"As at commit {commit}{changed}." if commit else "Its commit was not recorded.",
            version=where.get("benchbook_version"),
            identifier=f"swh:1:rev:{commit}" if commit and not dirty else None,
            url=self.base,
            codeRepository=self.site.repository,
            license=self.licences[contents.CODE],
        )

    def action(self, run: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
        """One run. run: as the edition names it. known: what stands below its figures."""
        paths = contents.of_run(run)
        record = schema.read_record((self.folder / paths[0]).parent, published=True)
        identity = f"#run-{run['run_id']}"
        parameters = [
            self.add(
                f"{identity}-{each['name']}",
                "PropertyValue",
                name=each["name"],
                value=each["value"],
                unitText=each["unit"],
                description=each["meaning"],
            )
            for each in known["settings"]
        ]
        ledger = contents.ledger_of(self.edition, run)
        places = [known[name] for name in ("engine", "host") if known[name]]
        return self.add(
            identity,
            "CreateAction",
            name=f"Run {run['run_id']} of {run['experiment']}",
            description=f"{known['command']} ({'; '.join(places) or 'no engine'})",
            startTime=record["started_at"],
            endTime=record["finished_at"],
            actionStatus="http://schema.org/CompletedActionStatus",
            agent=self.authors,
            instrument=self._code(record["provenance"]),
            object=[*parameters, *([self.crate.get(ledger)] if ledger else [])],
            result=[self.crate.get(path) for path in paths],
        )

    def figure(self, figure: Mapping[str, Any]) -> Any:
        """One figure, with its files and what they were computed from: a run's files, or the notes' own numbers."""
        runs = {run["run_id"]: run for run in self.edition["runs"]}
        measured = [path for run in figure_list.behind(figure) for path in contents.of_run(runs[run["run_id"]])]
        behind = measured or ["data/notes/datapackage.json"]
        sources = [self.crate.get(path) for path in (*behind, f"notebooks/{figure['chapter']}.ipynb")]
        words = (figure["caption"], _sentence(figure.get("origin", "")), _rests_on(figure))
        own = sorted((self.folder / contents.FIGURES).glob(f"{figure['id']}.*"))
        return self.add(
            f"#{figure['id']}",
            "CreativeWork",
            name=figure["title"],
            description=" ".join(filter(None, words)),
            identifier=figure["id"],
            url=f"{self.base}figures/{self.edition['name']}/{figure['id']}.html" if self.base else "",
            author=self.authors,
            license=self.licences[contents.TEXT],
            encoding=[self.crate.get(f"{contents.FIGURES}/{path.name}") for path in own],
            isBasedOn=[source for source in sources if source is not None],
        )

    def root(self, mentions: list[Any]) -> None:
        """What the crate is as a whole. mentions: runs and figures."""
        edition = self.edition
        described = {
            "name": f"{self.whole['title']}, edition {edition['name']}",
            "description": (
                f"The edition {edition['name']}: {len(edition['runs'])} published runs with all their measurements, "
                f"the ledger of claims, the notebooks, and {len(edition['figures'])} figures with their tables. "
                "Unpacked, it is a project folder, in which `benchbook verify` recomputes every metric."
            ),
            "datePublished": edition["created"],
            "version": edition["version"],
            "keywords": _compact(list(self.whole.get("keywords", ()))),
            "url": self.base,
            "author": _compact(self.authors),
            "publisher": self.authors[0],
            "license": list(self.licences.values()),
            "conformsTo": self.add(PROFILE, "CreativeWork", name="Process Run Crate", version=PROFILE_VERSION),
            "identifier": self.site.doi_address,
            "mentions": mentions,
        }
        for name, value in described.items():
            if value != "":
                self.crate.root_dataset[name] = value


def _compact(value: Any) -> Any:
    """A list of one as that one, which is how RO-Crate wants it written."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _rests_on(figure: Mapping[str, Any]) -> str:
    """All that a figure of several runs rests on, with every commit; "" for any other, whose run says it."""
    pool = (figure["run"] or {}).get("pool")
    if not pool or len(pool["runs"]) < 2:
        return ""
    runs, commits = pool_words.listing(pool["runs"]), pool_words.listing(each["commit"] for each in pool["commits"])
    return f"It rests on the runs {runs}, pooled: {pool_words.sentence(pool)}, {commits}."


def _sentence(half: str) -> str:
    return f"{half[:1].upper()}{half[1:]}." if half else ""
