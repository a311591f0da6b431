"""The record of one figure: the drawing with everything that stands behind it."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchbook.book.records import citation_forms, references


def made(root: Path, figure: Mapping[str, Any], origin: dict[str, Any]) -> dict[str, Any]:
    """The record of a figure, with its citations. figure: as ``Figure.record`` gives it; origin: page, run, command."""
    record = {
        **{name: figure[name] for name in ("id", "caption", "alt", "run_id", "data", "plot")},
        **{name: figure.get(name, "") for name in ("interval", "lacks", "origin")},
        "blank": figure.get("blank", False),
        "title": figure["title"],
        "finding": figure.get("finding", ""),
        "data_sha256": data_sha256(figure["data"]),
        **origin,
    }
    reference = references.of_figure(root, record)
    record["citations"] = {form: citation_forms.cite(reference, form) for form in citation_forms.FORMATS}
    return record


def data_sha256(data: Mapping[str, Any]) -> str:
    """SHA-256 of a figure's table as compact JSON: ``columns`` and ``data`` (rows)."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
