"""The pooler's parts that need no program: its configuration, its release, which clients it served."""

from pathlib import Path

import pytest
import scripts

from benchbook.engines.pgbench.log import read_log
from benchbook.engines.pgbouncer import pooler, program
from benchbook.engines.pgbouncer.running import served
from benchbook.errors import MachineError


def test_the_poolers_configuration_opens_a_private_socket_and_no_port() -> None:
    text = pooler.configuration(Path("/s"), Path("/s/pooler"), 1_000, 100)
    lines = dict(line.split(" = ", 1) for line in text.splitlines() if " = " in line)
    assert "listen_addr =\n" in text
    assert lines["unix_socket_mode"] == "0700"
    assert lines["pool_mode"] == "transaction"
    assert int(lines["max_db_connections"]) == 100
    assert int(lines["max_client_conn"]) >= 1_000


def test_a_release_before_1_21_loses_prepared_statements() -> None:
    assert not program.Program(Path("/x"), None, "1.18.0").prepares
    assert program.Program(Path("/x"), None, "1.21.0").prepares
    assert program.Program(Path("/x"), None, "2.0.1").prepares


def test_a_named_pooler_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(program.NAMED, str(tmp_path / "none"))
    with pytest.raises(MachineError, match=r"is no program.*make pooler"):
        program.find()
    monkeypatch.setenv(program.NAMED, str(scripts.program(tmp_path / "pgbouncer", "echo nothing")))
    with pytest.raises(MachineError, match="does not say its version"):
        program.find()


def test_served_to_the_end_are_those_with_a_transaction_in_the_last_sixth(tmp_path: Path) -> None:
    lines = [f"0 {n} 900 0 {100 + n} 0" for n in range(7)] + ["1 0 900 0 100 0", "2 0 900 0 105 500000"]
    (tmp_path / "log.1").write_text("\n".join(lines) + "\n")
    (tmp_path / "log.2").write_text("")
    assert served(read_log([tmp_path / "log.1", tmp_path / "log.2"]), 6) == 2
