"""The configurations: workers, pool, limits of dirty data, and what starts a checkpoint."""

from __future__ import annotations

from benchbook.experiments.io_cliff.parameters import Parameters
from benchbook.experiments.planning import blocked
from benchbook.model import Configuration, Plan, Scalar

BASELINE, A, REPEATED, B = "baseline", "scenario_a", "scenario_a_again", "scenario_b"
SMALL_POOL = "scenario_a_pool_20"
A_4_1, A_10_1, B_4_1 = "scenario_a_dirty_4_1", "scenario_a_dirty_10_1", "scenario_b_dirty_4_1"
A_MACHINE = "scenario_a_machine_limits"
SPACED, DEFAULT_TIMEOUT, DEFAULT_WAL = "spaced_checkpoints", "default_timeout", "default_wal_size"
LIMITED = (A_4_1, A_10_1, A_MACHINE, B_4_1)
CHECKPOINTS = (SPACED, DEFAULT_TIMEOUT, DEFAULT_WAL)
CHECKPOINT_POOL_OVER_DATA = 0.4


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims name, as far as the parameters let it be run, in the order of the figures."""
    arms = [
        Configuration(BASELINE, "baseline: 8 workers, pool 80 %", _restart(80, workers=8)),
        Configuration(A, "A: 32 workers, pool 80 %", _restart(80)),
        Configuration(REPEATED, "A again (A/A)", _restart(80)),
        Configuration(B, "B: pool 100 %", _restart(100)),
        Configuration(SMALL_POOL, "A with pool 20 %", _restart(20)),
    ]
    if parameters.allow_vm_settings:
        arms += [
            Configuration(A_4_1, "A, dirty limits 4/1", _restart(80) | _limits(4, 1)),
            Configuration(A_10_1, "A, dirty limits 10/1", _restart(80) | _limits(10, 1)),
            Configuration(A_MACHINE, "A, the machine's own dirty limits", _restart(80) | {"machine_limits": True}),
            Configuration(B_4_1, "B, dirty limits 4/1", _restart(100) | _limits(4, 1)),
        ]
    if parameters.checkpoint_seconds:
        arms += [
            Configuration(SPACED, "checkpoints far apart", _checkpoints(timed=False, small_log=False)),
            Configuration(DEFAULT_TIMEOUT, "default checkpoint_timeout", _checkpoints(timed=True, small_log=False)),
            Configuration(DEFAULT_WAL, "default max_wal_size", _checkpoints(timed=False, small_log=True)),
        ]
    return tuple(arms)


def plan(parameters: Parameters) -> Plan:
    """All configurations once per block, in an order drawn from the seed."""
    return blocked(configurations(parameters), parameters.blocks, parameters.seed)


def minutes(parameters: Parameters) -> float:
    """How long the run takes, as far as that can be said before."""
    names = [trial.configuration.name for trial in plan(parameters).trials]
    long = sum(name in CHECKPOINTS for name in names)
    return parameters.seconds(len(names) - long, long) / 60


def _restart(pool_percent: int, workers: int = 32) -> dict[str, Scalar]:
    return {
        "pool_over_data": pool_percent / 100,
        "workers": workers,
        "lru_maxpages": 1250 if pool_percent >= 100 else 1000,
    }


def _limits(percent: float, background_percent: float) -> dict[str, Scalar]:
    return {"dirty_percent": percent, "dirty_background_percent": background_percent}


def _checkpoints(*, timed: bool, small_log: bool) -> dict[str, Scalar]:
    return {
        "pool_over_data": CHECKPOINT_POOL_OVER_DATA,
        "warm": True,
        "machine_limits": True,
        "default_timeout": timed,
        "default_wal_size": small_log,
    }
