"""What stands below each figure of a run: how it was made, and how to make it again."""

import shlex
from dataclasses import asdict, dataclass
from typing import Any

from benchbook import lab, provenance
from benchbook.claims.ledger import ledger_sha256
from benchbook.errors import BenchbookError
from benchbook.experiments.manifest import Chapter
from benchbook.parameters import profiles, wording
from benchbook.store import Entry, answers, tables
from benchbook.store.schema import TRIALS

COMMAND = ".venv/bin/benchbook"
"""As it is called from a clone, where `make setup` has put it."""


@dataclass(frozen=True)
class Setting:
    """One parameter of a run: value as it is written after ``-p name=``; unit "" where the meaning says it."""

    name: str
    value: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class RunFacts:
    """Everything about a run that a reader of one of its figures may want.

    minutes: of its trials together. version: of the chapter's measurement. command: measures it again with the same
    parameters, from a clone. prepare: what makes that command work there. stale: one sentence per thing that decides a
    number and has changed since; none for a run of today's version. machine: its id, "" for a run of before machines
    had one.
    """

    run_id: str
    experiment: str
    profile: str
    published: bool
    settings: tuple[Setting, ...]
    blocks: int
    trials: int
    measured: str
    minutes: float
    engine: str
    host: str
    commit: str
    version: int
    files: dict[str, str]
    command: str
    prepare: str
    stale: tuple[str, ...]
    machine: str = ""

    def record(self) -> dict[str, Any]:
        return asdict(self)


def facts(entry: Entry) -> RunFacts:
    """The facts of one complete run; raises BenchbookError for one that is damaged or unfinished."""
    record = entry.record
    if record is None or record["state"] != "complete":
        raise BenchbookError(f"run {entry.id} is {entry.damage or 'unfinished'}", "measure it again")
    where = record["provenance"]
    module = lab.experiment(record["experiment"]) if record["experiment"] in lab.names() else None
    return RunFacts(
        run_id=entry.id,
        experiment=record["experiment"],
        profile=record["profile"],
        published=entry.published,
        settings=tuple(_setting(module, name, value) for name, value in record["parameters"].items()),
        blocks=record["blocks"],
        trials=tables.size(entry.folder / TRIALS, entry.levels)[0],
        measured=record["finished_at"],
        minutes=round(record["duration_s"] / 60, 1),
        engine=answers.engine_named(where),
        host=_host(where),
        commit=f"{where['commit']}{' with local changes' if where.get('dirty') else ''}" if where.get("commit") else "",
        version=record["measurement_version"],
        files={name: each["sha256"] for name, each in record["files"].items()},
        command=_command(module, record),
        prepare="make probes" if "probe_timer_ns" in where else "make setup",
        stale=_stale(module, record),
        machine=str(where.get(answers.MACHINE) or ""),
    )


def _setting(module: Chapter | None, name: str, value: Any) -> Setting:
    field = module.Parameters.model_fields.get(name) if module else None
    return Setting(name, wording.value(value), wording.unit(name), (field.description or "") if field else "")


def _host(where: dict[str, Any]) -> str:
    parts = [
        str(where.get("processor") or ""),
        f"{where['cores']} cores" if where.get("cores") else "",
        f"{where['memory_gib']:.0f} GiB" if where.get("memory_gib") else "",
        str(where.get("system") or ""),
        str(where.get("filesystem") or ""),
    ]
    return ", ".join(part for part in parts if part)


def _command(module: Chapter | None, record: dict[str, Any]) -> str:
    """The shortest command with these parameters: a profile's name, and what differs from it."""
    start = [COMMAND, "run", record["experiment"]]
    best = [*start, *_settings(record["parameters"])]
    if module is None:
        return shlex.join(best)
    for name in profiles.PROFILES:
        try:
            own = module.Parameters.given(profiles.profile(record["experiment"], name)).model_dump(mode="json")
        except BenchbookError:
            continue
        if record["parameters"].keys() <= own.keys():
            different = {key: value for key, value in record["parameters"].items() if own[key] != value}
            profile = [] if name == profiles.STANDARD else ["--profile", name]
            best = min(best, [*start, *profile, *_settings(different)], key=len)
    return shlex.join(best)


def _settings(values: dict[str, Any]) -> list[str]:
    return [word for name, value in values.items() for word in ("-p", f"{name}={wording.value(value)}")]


def _stale(module: Chapter | None, record: dict[str, Any]) -> tuple[str, ...]:
    if module is None:
        return ("The experiment is no longer part of the book.",)
    found = []
    version = record["measurement_version"]
    if version != module.version:
        found.append(f"It was measured by version {version} of the experiment; today's is {module.version}.")
    if provenance.absent(record["provenance"].get("commit")):
        found.append("The commit that it names is not in this repository's history.")
    if record["provenance"].get("ledger_sha256") != ledger_sha256():
        found.append("The ledger of claims has changed since.")
    return tuple(found)
