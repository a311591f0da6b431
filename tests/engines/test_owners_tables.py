"""An owner's two questions of their own load, answered on a real server by counters alone."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from own_servers import DATABASE, ROLE, SECRETS, SERVICE, Theirs, served
from own_servers import call as benchbook

from benchbook.cli import own_tables
from benchbook.engines import own_server
from benchbook.engines.own_server import window
from benchbook.engines.own_server.tables import tables
from benchbook.engines.own_server.window import Window
from benchbook.engines.postgres import Binaries
from benchbook.errors import BenchbookError, MachineError

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def theirs(binaries: Binaries, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theirs]:
    """Their tables: small has 10 pages, large outgrows the pool of 16 MiB; one is cut into parts."""
    with served(binaries, tmp_path_factory.mktemp("own"), shared_preload_libraries="pg_stat_statements") as made:
        made.say(
            "CREATE SCHEMA shop",
            "CREATE TABLE shop.small (id int PRIMARY KEY, pad text)",
            "INSERT INTO shop.small SELECT id, repeat('x', 700) FROM generate_series(1, 100) id",
            "CREATE TABLE shop.large (id int PRIMARY KEY, pad text) WITH (fillfactor = 10)",
            "INSERT INTO shop.large SELECT id, repeat('x', 700) FROM generate_series(1, 4000) id",
            "CREATE TABLE shop.parts (id int) PARTITION BY RANGE (id)",
            "CREATE TABLE shop.part_1 PARTITION OF shop.parts FOR VALUES FROM (0) TO (10)",
            'CREATE TABLE shop."Odd.Name\x1b[2J" (id int)',
            "CREATE VIEW shop.seen AS SELECT * FROM shop.small",
            "VACUUM ANALYZE shop.small",
            "VACUUM ANALYZE shop.large",
        )
        yield made


@pytest.fixture
def named(theirs: Theirs, monkeypatch: pytest.MonkeyPatch) -> Theirs:
    theirs.named(monkeypatch)
    monkeypatch.setattr(window, "FLUSHED_S", 0.0)
    return theirs


@pytest.fixture
def rights(named: Theirs) -> Iterator[Theirs]:
    """Both extensions, and a role that may read them."""
    extensions = "EXTENSION pg_buffercache", "EXTENSION pg_stat_statements"
    made, dropped = ([f"{word} {each}" for each in extensions] for word in ("CREATE", "DROP"))
    with named.having(*made, f"GRANT pg_monitor TO {ROLE}", undone=[*dropped, f"REVOKE pg_monitor FROM {ROLE}"]):
        yield named


def seen(theirs: Theirs, given: str, *load: str) -> Window:
    """What a window sees in which the superuser says these statements once."""

    def sleeping(seconds: float) -> None:
        if left:
            with theirs.connect() as connection:
                while left:
                    connection.execute(left.pop(0).encode())
                if connection.info.server_version >= 150000:
                    connection.execute("SELECT pg_stat_force_next_flush()")

    left = [*load]
    with own_server.connect(SERVICE) as connection, own_server.told("cannot be asked"):
        return window.watched(connection, own_server.facts(connection), given, 1.0, sleeping)


def by_key(table: str, keys: int, times: int) -> str:
    """Rows asked for by their index, one after the other."""
    return (
        f"DO $$ BEGIN SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; FOR t IN 1..{times} LOOP "
        f"FOR k IN 1..{keys} LOOP PERFORM pad FROM shop.{table} WHERE id = k; END LOOP; END LOOP; END $$"
    )


def test_a_hot_load_is_told_as_one_that_no_larger_pool_helps(rights: Theirs) -> None:
    seen(rights, "shop.small", by_key("small", 100, 5))
    found = seen(rights, "shop.small,shop.large", by_key("small", 100, 50))
    assert (found.hot().word, found.larger().word) == ("yes", "no")
    by_name = {table.full_name: blocks for table, blocks in found.tables}
    assert by_name["shop.small"].heap_hit + by_name["shop.small"].heap_read >= 5_000
    assert by_name["shop.large"].asked == 0
    assert 0 < found.distinct[1] <= 5_000


def test_a_load_beyond_the_pool_is_told_as_one_that_a_larger_pool_may_help(rights: Theirs) -> None:
    found = seen(rights, "shop.large", by_key("large", 4000, 2))
    assert found.hot().word != "yes"
    assert found.larger().word == "yes"
    assert "had been there within the window" in found.larger().because
    assert found.total.heap_read > 2_000
    assert found.unused is not None
    assert found.distinct[0] <= found.distinct[1] <= found.total.asked
    assert [each.read > 2_000 for each in found.statements][:2] == [True, False]
    assert found.notes == []


@pytest.mark.parametrize("keys", [50, 500])
def test_different_blocks_are_bracketed(keys: int, rights: Theirs) -> None:
    seen(rights, "shop.small", by_key("large", 4000, 1))  # others in the pool
    found = seen(rights, "shop.large", by_key("large", keys, 3))
    least, most = found.distinct
    assert least <= keys + 20  # a row on each page, and those of the index
    assert keys <= most <= found.total.asked


def test_blocks_that_were_read_for_the_first_time_into_an_unused_pool_ask_for_no_larger_one() -> None:
    table = window.Table(1, "shop", "large", 2**30, 0)
    found = Window(60, 8192, 100_000, 90_000, [(table, window.Blocks(1_000, 500, 10, 0))], None, (500, 500), [])
    assert found.larger().word == "no"
    assert "first reads" in found.larger().because
    full = Window(60, 8192, 100, 0, [(table, window.Blocks(1_000, 500, 10, 0))], None, (500, 500), [])
    assert full.larger().word == "yes"


def test_a_role_of_few_rights_gets_both_answers_and_is_told_what_is_not_seen(named: Theirs) -> None:
    found = seen(named, "shop.small", by_key("small", 100, 50))
    assert found.hot().word == "yes"
    assert found.distinct is None
    assert found.unused is None
    assert len(found.notes) == 2
    assert all("it is not installed" in each for each in found.notes)


def test_without_traffic_nothing_is_claimed(named: Theirs) -> None:
    found = seen(named, "shop.small")
    assert (found.hot().word, found.larger().word) == ("nothing", "nothing")
    assert "Nobody asked" in found.hot().because


def test_counters_that_are_reset_in_the_window_answer_nothing(named: Theirs) -> None:
    for reset in ("SELECT pg_stat_reset()", "SELECT pg_stat_reset_single_table_counters('shop.small'::regclass)"):
        seen(named, "shop.small", by_key("small", 100, 5))
        with pytest.raises(MachineError, match="began anew"):
            seen(named, "shop.small", reset)


def test_counting_that_is_off_is_told(named: Theirs) -> None:
    off, on = (f"ALTER DATABASE {DATABASE} {how}" for how in ("SET track_counts = off", "RESET track_counts"))
    with named.having(off, undone=[on]), pytest.raises(MachineError, match="track_counts is off"):
        seen(named, "shop.small")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("shop.nothing", "no table shop.nothing"),
        ("nothing", "no table nothing"),
        ("shop.seen", "a view"),
        ("shop.small_pkey", "an index"),
        ("", "no list of tables"),
        ("a.b.c", "no list of tables"),
        ('shop."small', "no list of tables"),
        ("shop.small;DROP TABLE x", "no table shop.small;drop table x"),
        ("x'\x1b[2J", "no table x'?[2j"),
    ],
)
def test_what_is_no_table_is_told_and_leaves_no_error_in_the_log(given: str, said: str, named: Theirs) -> None:
    before = named.errors()
    with own_server.connect(SERVICE) as connection, pytest.raises(BenchbookError) as caught:
        tables(connection, given)
    assert said in caught.value.problem
    assert named.errors() == before


def test_tables_are_named_as_in_sql(named: Theirs) -> None:
    with own_server.connect(SERVICE) as connection:
        found = tables(connection, ' Small , "shop"."large",shop."Odd.Name\x1b[2J", shop.parts')
    assert [each.full_name for each in found] == ["shop.small", "shop.large", "shop.Odd.Name?[2J", "shop.part_1"]


def call(*arguments: str) -> Any:
    return benchbook("run", "own_server", *arguments)


@pytest.fixture
def at_once(named: Theirs, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.setattr(own_tables, "seconds", lambda text: 1.0)
    return call


def test_the_command_prints_both_answers_writes_a_page_and_makes_nothing(
    at_once: Callable[..., Any], named: Theirs, tmp_path: Path
) -> None:
    schemas, before = named.schemas(), named.errors()
    dry = at_once("--tables", "shop.small", "--dry-run")
    assert dry.exit_code == 0, dry.output
    assert "reached PostgreSQL" in dry.output
    assert "would watch 1 table" in dry.output
    printed = at_once("--tables", "busiest")
    assert printed.exit_code == 0, printed.output
    assert "Were hot keys measured?" in printed.stdout
    assert "Could a larger pool help?" in printed.stdout
    page = tmp_path / "page.html"
    told = at_once("--tables", 'shop.small,shop."Odd.Name\x1b[2J"', "--json", "--out", str(page))
    record = json.loads(told.stdout)
    assert record["answers"]["hot"]["word"] == "nothing"
    assert {each["table"] for each in record["tables"]} == {"shop.small", "shop.Odd.Name?[2J"}
    text = page.read_text(encoding="utf-8")
    assert "Could a larger pool help? Nothing." in text
    assert "<script" not in text
    refused = at_once("--tables", "shop.small", "--out", str(page))
    assert refused.exit_code == 1
    everything = dry.output + printed.output + told.output + text
    assert not [secret for secret in (*SECRETS, "127.0.0.1", "\x1b") if secret in everything]
    assert named.schemas() == schemas
    assert named.errors() == before


@pytest.mark.parametrize("window_", ["0s", "25h", "soon", "-5s"])
def test_a_window_that_nobody_can_watch_is_refused(window_: str, named: Theirs) -> None:
    assert call("--tables", "shop.small", "--window", window_).exit_code == 1
    assert call("--window", window_).exit_code == 2
