"""Blocks of another kind of host are added only where that is asked for; what runs mix is told."""

from pathlib import Path
from typing import Any

import pytest
import sealing

from benchbook import lab, provenance
from benchbook.errors import LONGEST

NAME = "hot_cold_keys"
HERE = {"machine_id": "0" * 16, "processor": "AMD EPYC", "processor_model": "25-17-1", "cores": 2, "system": "Linux 6"}
SAME_KIND = HERE | {"machine_id": "1" * 16}
OTHER_KIND = HERE | {"machine_id": "2" * 16, "processor": "Intel(R) Xeon(R) Processor", "cores": 4}
BEFORE = {name: value for name, value in HERE.items() if name != "machine_id"}
ADD = ("run", NAME, "--blocks", "+2", "--dry-run", "-f")
KINDS = "2 kinds of host, Intel Xeon with 4 cores (2 blocks) and AMD EPYC with 2 cores (2 blocks)"


@pytest.fixture
def stored(home: Path, tiny: str, benchbook: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Store a run of two blocks with the tiny parameters for each of these hosts; this machine is HERE."""
    from benchbook.cli.parameter_options import parameters

    module = lab.experiment(NAME)
    wanted = parameters(module, "standard", Path(tiny), [])
    key = wanted.key(NAME, module.version)
    engine = module.needs(wanted).engine()
    monkeypatch.setattr(provenance, "machine", lambda: dict(HERE))

    def store(*hosts: dict[str, Any], published: bool = False) -> None:
        for place, host in enumerate(hosts):
            sealing.write_run(
                home, NAME, f"{key}-2026010{place + 1}T000000", published=published, blocks=2, first_block=2 * place,
                measurement_version=module.version, parameters=wanted.model_dump(mode="json"), key=key,
                started_at=f"2026-01-0{place + 1}T00:00:00+00:00", finished_at=f"2026-01-0{place + 1}T01:00:00+00:00",
                provenance={**sealing.PROVENANCE, **engine, **host},
            )  # fmt: skip

    return store


def test_another_kind_of_host_is_refused_and_named(stored: Any, benchbook: Any, tiny: str) -> None:
    stored(OTHER_KIND)
    result = benchbook(*ADD, tiny, code=1)
    problem, mend = result.stderr.strip().splitlines()
    assert "another kind of host" in problem
    assert f"2 machines of {KINDS}" in problem
    assert "--another-host" in mend
    assert len(problem) < LONGEST
    assert "trials in" not in result.stdout


def test_it_is_added_where_that_is_asked_for_and_the_mixture_is_said(stored: Any, benchbook: Any, tiny: str) -> None:
    stored({name: value for name, value in OTHER_KIND.items() if name != "machine_id"})
    result = benchbook(*ADD, tiny, "--another-host", code=0)
    assert "trials in 2 blocks" in result.stdout
    assert f"The stored blocks and these will be of {KINDS}." in result.stdout


@pytest.mark.parametrize("hosts", [(HERE,), (BEFORE,), (HERE, BEFORE), (OTHER_KIND, HERE)])
def test_a_host_of_a_stored_kind_needs_no_asking(
    stored: Any, benchbook: Any, tiny: str, hosts: tuple[dict[str, Any], ...]
) -> None:
    stored(*hosts)
    assert "will be of" not in benchbook(*ADD, tiny, code=0).stdout, "it mixes nothing in that is not there yet"


def test_another_machine_of_the_same_kind_is_told(stored: Any, benchbook: Any, tiny: str) -> None:
    stored(SAME_KIND)
    assert "The stored blocks and these will be of 2 machines of one kind." in benchbook(*ADD, tiny, code=0).stdout


@pytest.mark.parametrize(
    ("hosts", "told"),
    [((OTHER_KIND, HERE), f"The published runs were measured on 2 machines of {KINDS}.\n"), ((HERE, HERE), "")],
)
def test_show_names_the_hosts_that_published_runs_mix(stored: Any, benchbook: Any, hosts: Any, told: str) -> None:
    alone = benchbook("show", NAME, code=0).stdout
    stored(*hosts, published=True)
    assert benchbook("show", NAME, code=0).stdout == f"{alone}{told}"
