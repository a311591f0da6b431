"""Everything that is wrong with a stored run: files, schema, completeness, metrics against samples."""

import math
from collections import Counter
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd

from benchbook import lab, nofollow, project, provenance, store
from benchbook.errors import BenchbookError, shortened
from benchbook.experiments.manifest import Chapter
from benchbook.model import UNTIMED, Plan, Run
from benchbook.parameters.kinds import Kind
from benchbook.store import Entry

TOLERANCE = 1e-9
"""Relative difference up to which a recomputed metric counts as equal: another numpy may add in another order."""
ROUNDED_S = 0.1
"""To which a record rounds the duration of its trials together."""
_SHOWN = 5


@dataclass(frozen=True)
class Verification:
    """problems: one sentence each. summary: what was checked and how it came out."""

    problems: tuple[str, ...]
    summary: str


def verify(
    entry: Entry, ledgers: frozenset[str] | None = None, introduced: provenance.Introduced | None = None
) -> Verification:
    """Check one stored run; damage is a result, not an exception.

    ledgers: SHA-256 of the ledgers against which it may have been planned; those that this project ever had when left
    out. introduced: what git had of the published runs first, as ``first_committed`` gives it; not asked when left out.
    """
    altered = _altered(entry, introduced)
    if entry.record is None:
        return Verification((entry.damage, *altered), "DAMAGED")
    if entry.record["state"] != "complete":
        since = entry.measured_since
        after = "repeat its `benchbook run` command, which resumes it" if since is None else f"measured since {since}"
        return Verification((f"{entry.trials_stored} trials are stored; {after}",), "UNFINISHED")
    try:
        run = store.read_run(entry.folder, published=entry.published)
    except BenchbookError as error:
        return Verification((error.problem, *altered), "DAMAGED")
    known, every = known_ledgers(project.root()) if ledgers is None else (ledgers, True)
    every = every and not entry.foreign  # whose ledger may be of another project
    strange = run.provenance.get("ledger_sha256") not in known | {None}
    problems = [*altered, *_duration(run)]
    if strange and every:
        digest = str(run.provenance["ledger_sha256"])
        problems.append(f"it was planned against a ledger that was never committed here (SHA-256 {digest[:12]}…)")
    module = _experiment(run)
    if module is None:
        checked = f"only files and schema: it was measured by version {run.measurement_version} of its experiment"
    else:
        problems += _plan(module, run, entry)
        checked = f"{len(run.trials)} trials"
        if module.kind is Kind.MEASUREMENT:
            problems += _metrics(module, run)
            checked += f", {len(run.samples):,} samples, every metric recomputed"
    if strange and not every:
        checked += ", not the ledger that it was planned against"
    if introduced is not None and entry.published and not introduced.unknown:
        checked += ", as first committed" if introduced.committed(_place(entry)) else ", not committed yet"
    return Verification(tuple(problems), f"DAMAGED ({checked})" if problems else f"whole ({checked})")


def first_committed() -> provenance.Introduced:
    """What git had of the published runs when each was committed first.

    SHA256SUMS needs no comparison of its own: what it lists are the files that are compared.
    """
    root = project.root()
    return provenance.introduced(root, project.published().relative_to(root).as_posix())


def _altered(entry: Entry, introduced: provenance.Introduced | None) -> list[str]:
    names = introduced.altered(_place(entry)) if introduced is not None and entry.published else []
    return [f"{name} is not what was first committed, and published runs never change" for name in names]


def _place(entry: Entry) -> str:
    return entry.folder.relative_to(project.root()).as_posix()


def _experiment(run: Run) -> Chapter | None:
    """The experiment in the version that measured, or None: another version's plan and metrics prove nothing."""
    if run.experiment not in lab.names():
        return None
    module = lab.experiment(run.experiment)
    return module if run.measurement_version == module.version else None


def _plan(module: Chapter, run: Run, entry: Entry) -> list[str]:
    try:
        parameters = module.Parameters.given(run.parameters)
        plan: Plan = module.plan(parameters, first_block=run.first_block, blocks=run.blocks)
    except BenchbookError as error:
        return [f"its parameters are refused: {shortened(error.problem)}"]
    problems = []
    key = parameters.key(run.experiment, run.measurement_version)
    if entry.record is not None and entry.record["key"] != key:
        problems.append(f"its key is {entry.record['key']}, its parameters give {key}")
    grown = run.first_block > 0
    if run.seed != parameters.seed or (run.blocks != parameters.blocks and not grown):
        problems.append("its seed or its blocks are not those of its parameters")
    wanted = Counter((t.index, t.block, t.configuration.name, t.seed) for t in plan.trials)
    table = run.trials
    stored = Counter(zip(table["trial"], table["block"], table["configuration"], table["seed"], strict=True))
    for many, what in ((wanted - stored, "lacks"), (stored - wanted, "has, beyond its plan,")):
        if many:
            named = [f"{name} of block {block}" for _, block, name, _ in list(many)[:_SHOWN]]
            more = f" and {len(many) - _SHOWN} more" if len(many) > _SHOWN else ""
            problems.append(f"it {what} the trials {', '.join(named)}{more}")
    return problems


def _duration(run: Run) -> list[str]:
    took_s, recorded_s = float(run.trials["duration_s"].sum()), run.provenance["duration_s"]
    if abs(took_s - recorded_s) <= ROUNDED_S:
        return []
    return [f"its trials took {took_s:,.1f} s together, and its record says {recorded_s:,.1f} s"]


def _metrics(module: Chapter, run: Run) -> list[str]:
    operations = run.samples[~run.samples["series"].isin(UNTIMED)]
    samples = {int(str(trial)): part["latency_ns"].to_numpy() for trial, part in operations.groupby("trial")}
    recomputed = module.reduce(np.ones(2, dtype=np.int64))  # their names
    wrong = []
    for row in run.trials.to_dict("records"):
        latencies = samples.get(int(row["trial"]))
        if latencies is None:
            # a trial that failed, or of a program that logs nothing, claims none of what samples give
            if any(not _equal(None, row.get(name)) for name in recomputed):
                wrong.append(f"trial {row['trial']} has no samples")
            continue
        for name, value in module.reduce(latencies.astype("int64")).items():
            if not _equal(value, row.get(name)):
                wrong.append(
                    f"trial {row['trial']} stores {name}={row.get(name)}, its samples give {value}",
                )
    return [*wrong[:_SHOWN], *([f"and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else [])]


def _equal(computed: float | None, stored: object) -> bool:
    missing = stored is None or pd.isna(stored)  # type: ignore[call-overload]
    if computed is None or missing:
        return computed is None and bool(missing)
    return isinstance(stored, int | float) and math.isclose(computed, stored, rel_tol=TOLERANCE)


@cache
def known_ledgers(root: Path) -> tuple[frozenset[str], bool]:
    """SHA-256 of the claims ledger now and at every commit that changed it, and whether these are all.

    Without the whole history (outside a clone, or where git refuses) it is that of now, with those that an unpacked
    crate brings, and nothing is known of others.
    """
    name = project.ledger().relative_to(root).as_posix()
    whole = provenance.whole_history(root)
    paths = [project.ledger(), *root.glob("data/ledgers/*.csv")]
    here = (nofollow.content(path, levels=nofollow.DATA) for path in paths)
    contents = provenance.states(root, name) if whole else here
    return frozenset(sha256(content).hexdigest() for content in contents), whole
