"""What is recorded of the machine: enough to tell one kind of processor from another."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from benchbook.numbers import environment, host_kinds

module = importlib.import_module("benchbook.provenance.host")
"""The package has a function of this name."""

CPUINFO = """processor\t: 0
cpu family\t: 6
model\t\t: 143
model name\t: Intel(R) Xeon(R) Processor
stepping\t: 8
cache size\t: 491520 KB

processor\t: 1
model\t\t: 1
"""


def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> dict[str, object]:
    path = tmp_path / "cpuinfo"
    path.write_text(text)
    real = Path

    def elsewhere(name: object) -> Path:
        return path if name == "/proc/cpuinfo" else real(str(name))

    monkeypatch.setattr(module, "Path", elsewhere)
    return module.host(tmp_path)


def test_processors_of_one_name_are_told_apart_by_model_stepping_and_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = told(tmp_path, monkeypatch, CPUINFO)
    other = told(tmp_path, monkeypatch, CPUINFO.replace("143", "207"))
    assert first["processor"] == other["processor"] == "Intel(R) Xeon(R) Processor"
    assert first["processor_model"] == "6-143-8-491520 KB"
    assert host_kinds.processor(first) != environment.processor(other), "their quiet levels are never mixed"


def test_a_system_that_says_nothing_of_its_processor_still_has_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = told(tmp_path, monkeypatch, "")
    assert found["processor"]
    assert found["processor_model"] == ""
