"""A stored run as tables that any program reads, with what each column is, as a Frictionless data package."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import pandas as pd

from benchbook.experiments.manifest import Chapter
from benchbook.model import Run
from benchbook.numbers.summary import Summary
from benchbook.reuse import columns
from benchbook.reuse.estimates import estimates
from benchbook.store import atomic

DESCRIPTOR = "datapackage.json"


class Form(StrEnum):
    """How tables are written."""

    CSV = "csv"
    PARQUET = "parquet"
    JSON = "json"


@dataclass(frozen=True)
class Table:
    """One table of a run."""

    name: str
    title: str
    content: pd.DataFrame


def write(folder: Path, form: Form, module: Chapter, run: Run, *, samples: bool) -> None:
    """Write a new folder of tables with their description; with JSON the tables stand in one file of that name.

    Raises BenchbookError where the folder exists, MachineError where the disk is full; nothing is then left.
    """
    atomic.refuse_existing(folder)
    summary = module.summarize(run)
    tables = list(_tables(module, summary, samples=samples))
    with atomic.new_folder(folder) as making:
        for table in tables:
            _write(making / f"{table.name}.{form}", form, table.content)
        text = json.dumps(_described(module, summary, tables, form), indent=1, ensure_ascii=False)
        atomic.write_text(making / DESCRIPTOR, f"{text}\n")


def _write(path: Path, form: Form, table: pd.DataFrame) -> None:
    def fill(temporary: Path) -> None:
        if form is Form.CSV:
            table.to_csv(temporary, index=False)
        elif form is Form.PARQUET:
            table.to_parquet(temporary, index=False)
        else:
            table.to_json(temporary, orient="records", double_precision=15, force_ascii=False, indent=1)

    atomic.write(path, fill)


def _tables(module: Chapter, summary: Summary, *, samples: bool) -> Iterator[Table]:
    origin = {"origin": summary.run.origin} if summary.run.foreign else {}
    trials = summary.run.trials.assign(**origin)
    yield Table("trials", "One row a trial: its place in the plan, its metrics and labels", trials)
    found = [
        {
            "number": each.name, "claims": ";".join(each.claims), "kind": each.kind, "scale": each.scale,
            **each.estimate.fields,
            "configurations": ";".join(each.arms), "metric": each.metric, "origin": summary.run.origin,
        }
        for each in estimates(module, summary)
    ]  # fmt: skip
    yield Table("estimates", "One row a number of the chapter, with its interval", pd.DataFrame(found))
    arms = [
        {"configuration": arm.name, "label": arm.label, "group": arm.group, "settings": json.dumps(dict(arm.settings))}
        for arm in summary.configurations.values()
    ]
    yield Table("configurations", "One row a configuration: what was measured", pd.DataFrame(arms))
    if samples:
        yield Table("samples", "One row a stored operation of a trial", summary.run.samples)


def _described(module: Chapter, summary: Summary, tables: list[Table], form: Form) -> dict[str, Any]:
    run = summary.run
    return {
        "profile": "data-package",
        "name": f"benchbook-{run.experiment.replace('_', '-')}",
        "title": f"{module.title}: {'foreign ' * run.foreign}run {run.id} of Benchbook",
        "licenses": [{"name": "CC-BY-4.0", "path": "https://creativecommons.org/licenses/by/4.0/"}],
        "run": {
            "id": run.id, "experiment": run.experiment, "measurement_version": run.measurement_version,
            "parameters": dict(run.parameters), "profile": run.profile, "seed": run.seed, "blocks": run.blocks,
            "published": run.published, "origin": run.origin,
            "parts": [{"id": p.id, "blocks": p.blocks, "provenance": dict(p.provenance)} for p in run.parts],
        },
        "resources": [
            {
                "name": table.name, "path": f"{table.name}.{form}", "title": table.title, "format": str(form),
                "schema": {"fields": [_field(str(name), table.content[name], summary) for name in table.content]},
            }
            for table in tables
        ],
    }  # fmt: skip


def _field(name: str, values: pd.Series, summary: Summary) -> dict[str, str]:
    found = {"name": name, "type": _type(values), "description": columns.described(summary.METRICS, name)}
    unit = columns.unit(summary.METRICS, name) if pd.api.types.is_numeric_dtype(values) else ""
    return found | ({"unit": unit} if unit else {})


def _type(values: pd.Series) -> str:
    if pd.api.types.is_bool_dtype(values):
        return "boolean"
    if pd.api.types.is_integer_dtype(values):
        return "integer"
    return "number" if pd.api.types.is_numeric_dtype(values) else "string"
