"""Programs that are started to measure: errors as subprocess gives them, nothing more inherited than is held."""

import os
import pwd
import subprocess
import sys
from pathlib import Path

import pytest

from benchbook import children
from benchbook.children import end_if


def test_a_program_that_cannot_be_executed_is_the_error_that_subprocess_gives(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("no program")
    for command, kind in ((tmp_path / "none", FileNotFoundError), (plain, PermissionError)):
        with pytest.raises(kind) as caught:
            children.start([command])
        assert caught.value.filename == str(command)


def test_what_a_program_says_and_how_it_ends_comes_back() -> None:
    done = children.run([sys.executable, "-c", "import sys; print('a'); sys.exit('b')"], timeout_s=60)
    assert (done.returncode, done.stdout, done.stderr) == (1, "a\n", "b\n")


def test_a_program_that_takes_too_long_is_ended() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        children.run(["sleep", "600"], timeout_s=0.5)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has privileges to drop")
def test_as_root_a_program_can_run_as_another_account_without_groups_or_capabilities() -> None:
    account = pwd.getpwnam("nobody")
    show = "id -u; id -g; id -G; grep -E 'CapEff|CapPrm|NoNewPrivs' /proc/self/status | cut -f2"
    done = children.run(["sh", "-c", show], timeout_s=60, account=account, cwd="/")
    user, group = str(account.pw_uid), str(account.pw_gid)
    assert done.stdout.split() == [user, group, group, "0" * 16, "0" * 16, "0"]


def test_a_descriptor_is_inherited_while_it_is_held_and_no_longer() -> None:
    reading, writing = os.pipe()
    try:
        look = ["sh", "-c", f"test -e /proc/self/fd/{writing} && echo held || echo none"]
        with children.holding(writing):
            assert children.run(look, timeout_s=60).stdout == "held\n"
        assert children.run(look, timeout_s=60).stdout == "none\n"
    finally:
        os.close(reading)
        os.close(writing)


def test_a_process_is_ended_only_while_it_is_the_one_that_is_meant() -> None:
    with subprocess.Popen(["sleep", "600"]) as process:
        assert not end_if(process.pid, lambda: False)
        assert process.poll() is None
        assert end_if(process.pid, lambda: True)
        assert process.wait(60) == -9
    assert not end_if(process.pid, lambda: True), "it is gone"


@pytest.mark.parametrize("number", [0, -1, -5])
def test_what_is_no_process_number_ends_nobody(number: int) -> None:
    text = f"from benchbook.children import end_if\nprint(end_if({number}, lambda: True))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, start_new_session=True)
    assert done.stdout == "False\n"
