"""What differs between two configurations of releases, and what is said where the notes' release is not here."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchbook.chapters.releases import CASES, COMPARED, Parameters, configurations
from benchbook.engines.postgres import binaries
from benchbook.errors import NoEngineError

ARMS = {arm.name: arm.settings for arm in configurations(Parameters())}


def differ(one: str, other: str) -> set[str]:
    return {name for name in ARMS[one] if ARMS[one][name] != ARMS[other][name]}


def test_a_case_is_the_same_on_both_releases_and_a_comparison_changes_one_setting() -> None:
    assert {case: differ(f"ours_{case}", f"notes_{case}") for case in CASES} == {case: {"release"} for case in CASES}
    for label, top, bottom in COMPARED.values():
        assert len(differ(f"ours_{top}", f"ours_{bottom}")) == 1, label
    assert not differ("ours_full", "ours_full_again")


def test_without_the_notes_release_the_message_says_how_to_fetch_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(binaries.project, "homes", lambda: [tmp_path])
    with pytest.raises(NoEngineError, match="is not here") as caught:
        binaries.find_notes_release()
    assert "make postgres-16" in caught.value.mend
