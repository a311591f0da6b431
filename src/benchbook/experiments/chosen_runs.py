"""The published run that stands for a chapter, and this machine's own run beside it, among the stored runs.

This is the one place that chooses: whoever shows, judges or quotes a chapter's run asks here.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchbook import store
from benchbook.model import Part, Run
from benchbook.parameters import profiles
from benchbook.parameters.kinds import Kind
from benchbook.parameters.profiles import PAPER, QUICK, STANDARD
from benchbook.store import Entry

ORDER = (STANDARD, PAPER, QUICK)
"""Of a machine's own runs the first of these profiles stands beside: the published runs have the standard one."""
Entries = Sequence[Entry]


def complete(module: Any) -> list[Entry]:
    """An experiment's complete runs of its present measurement version, published or not, the oldest first.

    module: a chapter.
    """
    return [
        each
        for each in store.catalogue(module.name)
        if each.record and each.record["state"] == "complete" and each.record["measurement_version"] == module.version
    ]


def published(module: Any, among: Entries | None = None) -> list[Entry]:
    """Of these the published ones. among: all of them, where they are known already, here and below."""
    return [each for each in (complete(module) if among is None else among) if each.published]


def entry(module: Any, among: Entries | None = None) -> Entry | None:
    """Of these the one that stands for its chapter; None where there is none."""
    return max(published(module, among), key=lambda each: profiles.precedence(each.record), default=None)


def run(module: Any, among: Entries | None = None) -> Run | None:
    """The same with its tables, pooled with the other published runs of its plan; StoredRunError for a damaged one."""
    found = entry(module, among)
    return pooled(module, str((found.record or {})["key"]), public=True, among=among) if found else None


def by_parameters(module: Any) -> Iterator[Run]:
    """The published runs, those with the same parameters as one: first that which stands, then in its order others."""
    every = published(module)
    ordered = sorted(every, key=lambda each: profiles.precedence(each.record), reverse=True)
    for key in dict.fromkeys(str((each.record or {})["key"]) for each in ordered):
        if found := pooled(module, key, public=True, among=every):
            yield found


def pooled(module: Any, key: str, **how: Any) -> Run | None:
    """All runs of a ``pool`` as one; None where there is none. Raises StoredRunError when one of them is damaged."""
    runs = [store.read_run(each.folder, published=each.published) for each in pool(module, key, **how)]
    return store.pooled(runs) if runs else None


def pool(
    module: Any,
    key: str,
    *,
    public: bool | None,
    but: Collection[str] = (),
    engine: Mapping[str, Any] | None = None,
    among: Entries | None = None,
) -> list[Entry]:
    """The complete runs with this key and of one engine, whose blocks are pooled, the oldest first.

    public: the published ones, or those of this machine; None: those of the two of which the newest is. but: ids of
    runs that do not count. engine: a provenance that names the engine; that of the newest run without.

    Blocks that were added here to published ones are pooled with them, where both may be shown. A simulation that is
    repeated draws the same numbers, so of its runs the newest counts alone. That all of them asked the same question is
    said by the measurement version, which they share.
    """
    found = [
        each
        for each in (complete(module) if among is None else among)
        if (each.record or {})["key"] == key and public in (None, each.published) and each.id not in but
    ]
    wanted = engine or (found[-1].provenance if found else {})
    entries = [each for each in found if store.same_engine(each.provenance, wanted)]
    if entries:
        newest = entries[-1]
        if newest.published or int((newest.record or {})["first_block"]) == 0:  # it adds to no plan
            entries = [each for each in entries if each.published == newest.published]
        entries = list({each.id: each for each in sorted(entries, key=lambda each: each.published)}.values())
        entries.sort(key=lambda each: str((each.record or {})["started_at"]))
    return entries[-1:] if module.kind is Kind.SIMULATION else entries


def parts(entries: Iterable[Entry]) -> list[Part]:
    """Runs, without their tables, as the parts that they are of a pool."""
    records = [each.record or {} for each in entries]
    return [Part(each["id"], each["blocks"], each["provenance"], each["first_block"]) for each in records]


def own(module: Any, profile: str | None = None, *, beside: bool = True, among: Entries | None = None) -> Entry | None:
    """This machine's newest complete run with a profile's parameters, of the present version; None where there is none.

    profile: its name; without one, of the profiles in ORDER the first that has a run. beside: a run that was published
    from here does not count, for it does not stand beside itself.
    """
    every = complete(module) if among is None else among
    public = {each.id for each in every if each.published} if beside else set()
    local = [each for each in every if not each.published and each.id not in public]
    for name in (profile,) if profile else ORDER:
        wanted = key(module, name)
        found = [each for each in local if each.record and each.record["key"] == wanted]
        if found:
            return found[-1]
    return None


def own_run(module: Any, profile: str | None = None, among: Entries | None = None) -> Run | None:
    """The run that stands beside the published one, with its tables, pooled with this machine's others of its plan."""
    every = complete(module) if among is None else among
    found = own(module, profile, among=every)
    if found is None:
        return None
    public = {each.id for each in published(module, every)}
    return pooled(module, str((found.record or {})["key"]), public=False, but=public, among=every)


def key(module: Any, profile: str) -> str:
    """What a run with a profile's parameters has as its key."""
    wanted: str = module.Parameters.given(profiles.profile(module.name, profile)).key(module.name, module.version)
    return wanted
