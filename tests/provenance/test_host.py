"""What is recorded of the machine: enough to tell one kind of processor from another."""

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


def test_a_system_silent_about_its_processor_still_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(tmp_path, monkeypatch, "")
    assert found["processor"]
    assert found["processor_model"] == ""


def daemon(
    admin: Path, *, state: str = "on", action: str = "pageout", age: str = "12", step_us: str = "5000000"
) -> None:
    scheme = admin / "0/contexts/0/schemes/0"
    for path, text in (
        (admin / "0/state", state),
        (admin / "0/contexts/0/monitoring_attrs/intervals/aggr_us", step_us),
        (scheme / "action", action),
        (scheme / "access_pattern/age/min", age),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    (admin / "nr_kdamonds").write_text("1\n")


def test_a_daemon_that_pages_out_what_was_idle_for_a_minute(tmp_path: Path) -> None:
    daemon(tmp_path)
    assert module.dropped_after_s(tmp_path) == 60.0


@pytest.mark.parametrize("changed", [{"state": "off"}, {"action": "stat"}, {"age": ""}, {"step_us": "?"}])
def test_one_that_is_off_does_something_else_or_says_nothing(tmp_path: Path, changed: dict[str, str]) -> None:
    daemon(tmp_path, **changed)
    assert module.dropped_after_s(tmp_path) is None


def test_a_kernel_without_one(tmp_path: Path) -> None:
    assert module.dropped_after_s(tmp_path / "nothing") is None
    assert "idle_page_cache_dropped_after_s" in module.host(tmp_path)
