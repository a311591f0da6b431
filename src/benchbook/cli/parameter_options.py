"""An experiment's parameters as the user sets them on the command line, checked."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import typer

from benchbook.errors import BenchbookError, shortened
from benchbook.experiments.manifest import Chapter
from benchbook.parameters import wording, yaml_text
from benchbook.parameters.base import AnalysisParameters
from benchbook.parameters.kinds import Kind
from benchbook.parameters.profiles import PROFILES, profile, read_parameters

SETTING = partial(typer.Option, "-p", "--parameter", metavar="NAME=VALUE")
FILE = partial(typer.Option, "-f", "--file", metavar="FILE")
PROFILE = partial(typer.Option, "--profile", metavar="|".join(PROFILES))
NUMBER = partial(typer.Option, "--number", metavar="NAME")
"""Options that several commands have, each with a help of its own."""


def parameters(
    experiment: Chapter, profile_name: str, file: Path | None, settings: Sequence[str]
) -> AnalysisParameters:
    """The profile's values, over them the file's, over them the single ones.

    Raises BenchbookError naming every value that the experiment does not take and a name that is set by two single
    ones, typer.BadParameter for a setting that is no ``name=value``.
    """
    analysis = experiment.kind is Kind.ANALYSIS
    given = {} if analysis else dict(profile(experiment.name, profile_name))
    if file is not None:
        given |= read_parameters(file)
    single: dict[str, Any] = {}
    for name, value in map(setting, settings):
        if name in single:
            raise BenchbookError(f"{shortened(repr(name))} is set twice with -p", "set each parameter once")
        single[name] = value
    given |= single
    try:
        checked: AnalysisParameters = experiment.Parameters.given(given)
    except BenchbookError as error:
        raise BenchbookError(_with_short_values(error.problem, given), error.mend) from None
    return checked


def departures(experiment: Chapter, profile_name: str, wanted: AnalysisParameters) -> list[str]:
    """Each value that is not the profile's, such as "n_tables=10 instead of 30"."""
    return wording.differing(dict(wanted), dict(parameters(experiment, profile_name, None, [])))


def _with_short_values(problem: str, given: Mapping[str, Any]) -> str:
    """The same with every long value, and every long element of a list, cut: a list may have thousands."""
    parts = [each for value in given.values() for each in (value, *(value if isinstance(value, list) else ()))]
    for text in sorted({*map(repr, given), *map(repr, parts)}, key=len, reverse=True):
        problem = problem.replace(text, shortened(text)) if len(text) > len(shortened(text)) else problem
    return problem


def setting(text: str) -> tuple[str, Any]:
    """``name=value`` with the value read as YAML: 10, 0.99, true, serial, [90,50]."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise typer.BadParameter(f"{shortened(repr(text))} is not of the form name=value", param_hint="-p")
    try:
        return name.strip(), yaml_text.read(value)
    except ValueError as error:
        raise typer.BadParameter(
            f"{shortened(repr(value))} cannot be read as a value ({error}); quote it", param_hint="-p"
        ) from None
