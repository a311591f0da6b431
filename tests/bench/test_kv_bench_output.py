"""What the C++ program prints, read: a recorded transcript, and what must not be taken for a result."""

from pathlib import Path

import pytest

from benchbook.bench import engines
from benchbook.bench.record import timing
from benchbook.errors import BenchbookError

TRANSCRIPT = Path(__file__).with_name("kv_bench.txt").read_text("utf-8")
"""Of a run with 10,000 keys and 1,000 rows, one round."""
SETS = ("random", "sequential", "lognormal", "clustered")
STORES = 13


def test_every_number_of_a_recorded_run_is_found_once() -> None:
    found = engines.parse(TRANSCRIPT)
    for of in SETS:
        for name in ("alex", "btree", "lower_bound", "hash", "alex huge pages", "alex SIMD"):
            assert found[f"{of}/look-up/{name}"] > 0
            assert found[f"{of}/chain/{name}"] > 0
        for name in ("alex batch 8", "alex batch 32", "alex batch 32 huge"):
            assert f"{of}/look-up/{name}" in found
            assert f"{of}/chain/{name}" not in found, "a batch has no chain"
        for name in ("alex", "btree"):
            assert found[f"{'append' if of == 'sequential' else of}/insert/{name}"] > 0
    stores = [name for name in found if name.startswith("engines/mean/")]
    assert len(stores) == STORES
    assert f"engines/mean/{engines.STORE}" in stores
    assert len(found) == len(SETS) * (9 + 6 + 2) + 2 * STORES


def test_the_numbers_are_those_of_the_line_in_seconds() -> None:
    line = (
        "random      alex                  123.4 ns  x B-tree  3.21  x array  2.11   | dependent    234.5 ns  x B-tree"
    )
    found = engines.parse(f"{line}  2.00  x array  1.50\n")
    assert found == {"random/look-up/alex": pytest.approx(123.4e-9), "random/chain/alex": pytest.approx(234.5e-9)}
    store = "engines     SQLite as the note   mean   8123.4 ns  P50   7000.1 ns  / ALEX + value file: mean  12.00  P50"
    assert engines.parse(store) == {
        "engines/mean/SQLite as the note": pytest.approx(8123.4e-9),
        "engines/p50/SQLite as the note": pytest.approx(7000.1e-9),
    }


def test_an_output_without_results_is_refused() -> None:
    with pytest.raises(BenchbookError, match="nothing that could be read"):
        engines.parse("alex SIMD uses avx2\nrandom      alex: 12.0 ns a key to load, 3 leaves\n")


def test_the_index_is_compared_with_controls_of_the_same_keys_and_work() -> None:
    timings = tuple(timing(name, name, [seconds] * 2) for name, seconds in engines.parse(TRANSCRIPT).items())
    pairs = engines.pairs(timings)
    names = {each.name for each in timings}
    for pair in pairs:
        assert {pair.name, pair.peer} <= names
        assert pair.name != pair.peer
        assert pair.name.rsplit("/", 1)[0] == pair.peer.rsplit("/", 1)[0]
    assert len({(pair.name, pair.peer) for pair in pairs}) == len(pairs)
    of_engines = [pair for pair in pairs if pair.name.startswith("engines/mean/")]
    assert len(of_engines) == STORES - 1
    assert all(pair.name.endswith(engines.STORE) and pair.main for pair in of_engines)


def test_another_learned_index_is_a_control_where_it_was_fetched() -> None:
    line = "clustered   {:<18} 150.0 ns  x B-tree  2.00  x array  2.00   | dependent    250.0 ns  x B-tree"
    printed = "\n".join(line.format(name) for name in (engines.ALEX, engines.BTREE, engines.PGM))
    pairs = engines.pairs(tuple(timing(name, name, [seconds] * 2) for name, seconds in engines.parse(printed).items()))
    named = {(pair.name, pair.peer) for pair in pairs if pair.main}
    for work in ("look-up", "chain"):
        assert (f"clustered/{work}/{engines.ALEX}", f"clustered/{work}/{engines.PGM}") in named
