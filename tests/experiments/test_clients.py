"""What the parameters of clients refuse, its configurations, what holds the baseline against itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook import lab
from benchbook.chapters import clients
from benchbook.chapters.clients import Parameters, configurations
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import many_clients

chapter = lab.experiment("clients")
PARAMETERS = Parameters()


def test_more_clients_than_open_files_are_refused_with_the_numbers() -> None:
    with pytest.raises(MachineError, match=r"1,000 clients need 1,200 open files in one program, the limit is 1,024"):
        many_clients.check(PARAMETERS, limit=1_024)


@given(st.sets(st.integers(1, 1_000).filter(lambda n: n != 100), min_size=1, max_size=8), st.integers(1, 8))
def test_a_configuration_never_has_more_threads_than_clients(counts: set[int], threads: int) -> None:
    found = Parameters.given({"counts": sorted(counts), "pooled_counts": [], "threads": threads})
    for arm in configurations(found):
        assert 1 <= int(arm.settings["threads"] or 0) <= int(arm.settings["clients"] or 0)


def test_the_baseline_is_held_against_itself_in_what_a_claim_is_about() -> None:
    def asked(name: str) -> object:
        return lambda again, first, *metrics: (name, again, first, *metrics)

    summary: Any = SimpleNamespace(aa_gate=asked("ratio"), aa_share_gate=asked("share"))
    found = {
        each.claim: clients.aa_gates(summary, each)[0][0::3] for each in chapter.answers.given if each.estimand.metric
    }  # type: ignore[index]
    assert found == {
        "R074": ("ratio", "tps"),
        "R078": ("ratio", "tps"),
        "R016": ("share", "cpu_busy"),
        "R010": ("share", "waits_flushing"),
        "R012": ("ratio", "reads_per_transaction"),
        "R013": ("share", "cpu_user"),
        "R014": ("share", "cpu_system"),
        "R015": ("share", "cpu_iowait"),
    }


def test_more_backends_than_the_note_allows_serve_nobody() -> None:
    planted = {"clients_served": np.array([1_000.0, 990.0]), "backends_most": np.array([102.0, 102.0])}
    summary: Any = SimpleNamespace(values=lambda arm, metric: planted[metric], parameters=PARAMETERS)
    assert clients.served(summary) == 990
    planted["backends_most"][1] = 251
    assert clients.served(summary) == 0
