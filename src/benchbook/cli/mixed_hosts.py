"""Which hosts the stored runs of a chapter mix, and whether blocks that are added here would mix another kind in."""

from collections.abc import Iterator

from benchbook import store
from benchbook.errors import BenchbookError
from benchbook.experiments import chosen_runs
from benchbook.experiments.manifest import Chapter
from benchbook.model import Part
from benchbook.numbers.host_kinds import identity, mixture, processor
from benchbook.parameters.base import ExperimentParameters

OPTION = "--another-host"


def of_pools(module: Chapter) -> Iterator[str]:
    """A sentence for the published runs of a chapter, and one for this machine's own, where they mix hosts."""
    for public, words in ((True, "The published runs"), (False, "The runs made here")):
        found = chosen_runs.entry(module) if public else chosen_runs.own(module)
        if found is not None and found.record is not None:
            mixed = mixture(chosen_runs.parts(chosen_runs.pool(module, found.record["key"], public=public)))
            if mixed:
                yield f"{words} were measured on {mixed}."


def added(module: Chapter, wanted: ExperimentParameters, blocks: int, *, allowed: bool) -> str:
    """What the stored runs would mix with so many blocks of this machine, as a sentence; "" where it is nothing new.

    Raises BenchbookError where this machine is of another kind than every host of the stored runs, unless it is
    allowed.
    """
    from benchbook import provenance  # brings what measures, and `show` needs none of it

    key, engine = wanted.key(module.name, module.version), module.needs(wanted).engine()
    entries = {each.id: each for each in store.complete(module.name, key, published=None)}.values()
    stored = chosen_runs.parts(each for each in entries if store.same_engine(each.provenance, engine))
    here = Part("", blocks, provenance.machine())
    mixed = mixture([*stored, here])
    kinds = {processor(each.provenance) for each in stored}
    if processor(here.provenance) not in kinds and not allowed:
        raise BenchbookError(
            f"this is another kind of host than the stored runs were measured on: together they would be of {mixed}",
            f"add the blocks on a host of the stored kind, or give {OPTION} to mix them; every page then says so",
        )
    known = identity(here.provenance) in {*filter(None, (identity(each.provenance) for each in stored))}
    return f"The stored blocks and these will be of {mixed}." if mixed and not known else ""
