"""What the planner makes of the workload's statements under the settings that only it reads."""

from __future__ import annotations

from collections.abc import Mapping

from benchbook.engines import pgbench
from benchbook.engines.postgres import Cluster

STATEMENTS = (
    "UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = 1",
    "SELECT abalance FROM pgbench_accounts WHERE aid = 1",
    "UPDATE pgbench_tellers SET tbalance = tbalance + 1 WHERE tid = 1",
    "UPDATE pgbench_branches SET bbalance = bbalance + 1 WHERE bid = 1",
    "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (1, 1, 1, 1, CURRENT_TIMESTAMP)",
)
"""The five of pgbench's built-in TPC-B."""
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "defaults": {},
    "random_page_cost 1.1": {"random_page_cost": "1.1"},
    "effective_cache_size 45 GB": {"effective_cache_size": "45GB"},
    "work_mem 53 MB": {"work_mem": "53MB"},
    "workers 0": {"max_parallel_workers": "0", "max_parallel_workers_per_gather": "0"},
    "workers 32/8": {"max_parallel_workers": "32", "max_parallel_workers_per_gather": "8"},
}
WORKERS = ("max_worker_processes", "max_parallel_workers", "max_parallel_workers_per_gather")


def of_workload(cluster: Cluster) -> dict[str, str]:
    """The plans of the five statements under each variant, as one text; the server is running."""
    found = {}
    for name, settings in VARIANTS.items():
        with pgbench.connect(cluster) as connection:
            for setting, value in settings.items():
                connection.execute("SELECT set_config(%s, %s, false)", (setting, value))
            lines = [
                str(line)
                for statement in STATEMENTS
                for (line,) in connection.execute(f"EXPLAIN (COSTS OFF) {statement}").fetchall()
            ]
            found[name] = "\n".join(lines)
    return found


def facts(cluster: Cluster) -> dict[str, dict[str, str]]:
    """When each of the worker settings can be changed, as pg_settings says; the server is running."""
    with cluster.connect() as connection:
        rows = connection.execute("SELECT name, context FROM pg_settings WHERE name = ANY (%s)", (list(WORKERS),))
        return {"contexts": {str(name): str(context) for name, context in rows.fetchall()}}
