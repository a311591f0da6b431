"""What the user sets on the command line in, an experiment's checked parameters out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
import yaml

from benchbook.experiments.kinds import Kind, kind_of
from benchbook.experiments.parameters import AnalysisParameters
from benchbook.experiments.profiles import profile, read_parameters
from benchbook.runner import Experiment


def parameters(
    experiment: Experiment, profile_name: str, file: Path | None, settings: Sequence[str]
) -> AnalysisParameters:
    """The profile's values, over them the file's, over them the single ones.

    Raises BenchbookError naming every value that the experiment does not take, typer.BadParameter for a setting
    that is no ``name=value``.
    """
    analysis = kind_of(experiment) is Kind.ANALYSIS
    given = {} if analysis else dict(profile(experiment.NAME, profile_name))
    if file is not None:
        given |= read_parameters(file)
    for text in settings:
        name, value = setting(text)
        given[name] = value
    checked: AnalysisParameters = experiment.Parameters.given(given)
    return checked


def setting(text: str) -> tuple[str, Any]:
    """``name=value`` with the value read as YAML: 10, 0.99, true, serial, [90,50]."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise typer.BadParameter(f"{text!r} is no name=value", param_hint="-p")
    try:
        return name.strip(), yaml.safe_load(value)
    except yaml.YAMLError:
        raise typer.BadParameter(f"{value!r} cannot be read as a value; quote it", param_hint="-p") from None
