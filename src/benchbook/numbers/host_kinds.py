"""Kinds of host, by what runs record of them, and which of them a pooled run mixes; no statistics are needed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchbook.model import Part
from benchbook.store.answers import MACHINE
from benchbook.store.processors import model_of, processor_name


def processor(provenance: Mapping[str, Any]) -> str:
    """What tells one kind of processor from another, as far as a run recorded it."""
    return " ".join(str(provenance[name]) for name in ("processor", "processor_model", "cores") if provenance.get(name))


def mixture(parts: Sequence[Part]) -> str:
    """Which hosts a pooled run mixes, such as "2 kinds of host, AMD EPYC with 2 cores (9 blocks) and ..."; "" for one.

    How many machines there were is said as far as the parts say it: runs of before machines had an id do not.
    """
    blocks: dict[str, int] = {}
    for part in parts:
        kind = processor(part.provenance)
        blocks[kind] = blocks.get(kind, 0) + part.blocks
    ids = [identity(part.provenance) for part in parts]
    known = len({each for each in ids if each})
    machines = "" if known < 2 else f"{known} machines" if all(ids) else f"at least {known} machines"
    if len(blocks) < 2:
        return f"{machines} of one kind" if machines else ""
    names = {kind: kind for kind in blocks}
    for stepping in (True, False):  # in as few words as tell them apart
        found = {processor(part.provenance): host(part.provenance, stepping=stepping) for part in parts}
        names = found if len({*found.values()}) == len(found) else names
    listed = [f"{names[kind]} ({count} block{'s' * (count > 1)})" for kind, count in blocks.items()]
    kinds = f"{len(blocks)} kinds of host, {', '.join(listed[:-1])} and {listed[-1]}"
    return f"{machines} of {kinds}" if machines else kinds


def identity(provenance: Mapping[str, Any]) -> str:
    """What tells a machine from others: its id and its processor, since ids can move to another one; "" without id."""
    known = provenance.get(MACHINE)
    return f"{known} {processor(provenance)}" if known else ""


def host(provenance: Mapping[str, Any], *, stepping: bool = False) -> str:
    """A kind of host in a few words, such as "AMD EPYC with 2 cores".

    stepping: with family, model and stepping, such as "AMD EPYC 26-2-1 with 2 cores".
    """
    name, cores = (model_of if stepping else processor_name)(provenance), provenance.get("cores")
    return f"{name or 'an unnamed processor'}{f' with {cores} cores' if cores else ''}"
