"""Numbers that others published, in the files in which their tools write them; each names where it stands."""

import json
from pathlib import Path

# felipebrgs1/pgbench_13x18beta at f92f9e81, benchmark-results: one run of five minutes on each release.
PGBENCH = {
    "13": (3669.870889, [3708.5, 3725.1, 3742.2, 3719.1, 3740.9, 3747.9, 3550.5, 3549.2, 3536.2, 3687.3]),
    "18": (3520.138174, [3589.4, 3595.8, 3421.1, 3436.4, 3598.0, 3476.4, 3466.6, 3550.2, 3479.4, 3581.7]),
}
# andrewkim-pkt/sysbench-pgo-lto-bolt at 42551565, README: A1 B1 A2 B2 on a second machine.
SYSBENCH_TABLE = {
    "base": [33439.5, 33384.9, 33407.1, 33431.3],
    "afdoltob": [34462.5, 34475.3, 34479.0, 34493.6],
}
# The same at c08d592e, gcc15/results/ladder-16xl/logs/b-01-base-1024.p1.log.
SYSBENCH_COURSE = [
    10823.86, 11885.32, 11962.93, 12141.54, 12387.33, 12555.73, 12650.24, 12650.34, 12692.34, 12657.14, 12689.52,
    12657.42, 12687.39, 12672.79, 12655.36, 12671.36, 12649.88, 12646.77, 12683.03, 12608.75, 12632.93, 12662.25,
    12637.41, 12635.40, 12628.91, 12656.64, 12649.91, 12598.92, 12621.63, 12612.16, 12610.35, 12573.89, 12610.76,
    12579.54, 12545.36, 12543.49, 12594.55, 12537.37,
]  # fmt: skip
# zeroows/1brc at b642f019, hyperfine.json: two programs.
HYPERFINE = {
    "1brc": [13.148435542520001, 11.81813333352, 9.877873458520002],
    "lucretiel_1brc": [12.04923320852, 12.36225804252, 10.25172425152],
}
# psf/pyperf at ee7eac95, pyperf/tests/mult_list_py36.json and _py37.json: "[1]*1000", us, three values a process.
PYPERF = {
    "py36": [
        (2.0872, 2.1128, 2.1119), (2.1298, 2.1172, 2.0970), (2.1451, 2.2767, 2.2785), (2.1559, 2.1977, 2.3945),
        (2.1726, 2.1767, 2.0844), (2.1587, 2.3567, 2.1412), (2.1632, 2.1418, 2.1472), (2.1643, 2.1137, 2.0886),
        (2.1048, 2.0983, 2.0897), (2.0844, 2.0717, 2.0928), (2.0607, 2.1272, 2.0769), (2.1036, 2.0706, 2.0991),
        (2.1142, 2.0865, 2.0903), (2.1088, 2.1176, 2.1407), (2.0924, 2.1197, 2.1517), (2.0983, 2.0854, 2.0956),
        (2.0888, 2.1265, 2.1180), (2.0509, 2.1184, 2.0888), (2.1152, 2.0971, 2.0827), (2.1217, 2.0874, 2.1301),
    ],
    "py37": [
        (2.0802, 2.0854, 2.1105), (2.1889, 2.2152, 2.0627), (2.1572, 2.0733, 2.0950), (2.1175, 2.0282, 2.0508),
        (2.1259, 2.0479, 2.0855), (2.1068, 2.0759, 2.0708), (2.1159, 2.0639, 2.0768), (2.1227, 2.0546, 2.0944),
        (2.0646, 2.0983, 2.0764), (2.1263, 2.0532, 2.0540), (2.0802, 2.0684, 2.1256), (2.0843, 2.0402, 2.1452),
        (2.1008, 2.1030, 2.1844), (2.1020, 2.0854, 2.0662), (2.0946, 2.0817, 2.0763), (2.0958, 2.0984, 2.0793),
        (2.1210, 2.0519, 2.1133), (2.0793, 2.0347, 2.0389), (2.0712, 2.0340, 2.0828), (2.0695, 2.0773, 2.1147),
    ],
}  # fmt: skip
# google/benchmark at 516d60c3, tools/gbench/Inputs/test1_run1.json and test1_run2.json, ns.
GOOGLE = {
    "run1": {"BM_SameTimes": 10, "BM_2xFaster": 50, "BM_2xSlower": 50, "BM_10PercentSlower": 100},
    "run2": {"BM_SameTimes": 10, "BM_2xFaster": 25, "BM_2xSlower": 100, "BM_10PercentSlower": 110},
}
# ClickHouse/ClickBench, alloydb/results/20231125: gcp.64GB.json at 23ad8507, gcp.64GB_tuned.json at 36127dda; Q0 to Q5.
CLICKBENCH = {
    "AlloyDB": [
        [0.044, 0.045, 0.044], [0.054, 0.057, 0.053], [5.522, 5.553, 5.538], [0.181, 0.171, 0.171],
        [38.255, 38.157, 38.574], [132.301, 124.598, 129.7],
    ],
    "AlloyDB (tuned)": [
        [7.110, 6.811, 6.854], [0.107, 0.105, 0.102], [6.421, 6.420, 6.171], [7.888, 7.651, 7.839],
        [47.474, 46.462, 46.613], [151.574, 151.010, 147.708],
    ],
}  # fmt: skip
# sm-shaw/hammerdb-results at f6ef361e, results/tproc-c/postgresql/2026/06/6A21B3A8BFA103E283934383.json.
HAMMERDB = (776_679, [
    0, 1054500, 2140260, 2045418, 1994130, 1939506, 1796634, 1814502, 1864656, 1825830, 1993290, 1952232, 1852902,
    2018112, 1893228, 1733484, 1916082, 1877220, 1797108, 1861518, 1913250, 1695774, 2023878, 1887864, 1742904, 1888866,
    1866120, 1633944, 1883904, 1940538, 1912944, 1993962, 1835730, 1607796, 1534230, 1595328, 1517742, 1581990, 1670688,
    1721250, 1567128, 1708386, 1816044, 77862, 54, 690,
])  # fmt: skip

# trufnetwork/kwil-db issue 1347.
KWIL = (
    "badger 2025/02/04 18:26:00 WARNING: Block cache might be too small. Metrics: hit: 515 miss: 8441 keys-added: 262 "
    "keys-updated: 92 keys-evicted: 212 cost-added: 823565314 cost-evicted: 556016591 sets-dropped: 0 sets-rejected: "
    "8086 gets-dropped: 0 gets-kept: 8896 gets-total: 8956 hit-ratio: 0.06"
)
# blinklabs-io/dingo issue 1555.
DINGO = """Block cache might be too small. Metrics:
  hit: 1,485,888  miss: 301,857,246
  keys-added: 228,184,816  keys-updated: 616  keys-evicted: 227,813,751
  hit-ratio: 0.00"""
# dgraph-io/badger pull request 960: one of its lines.
BADGER_960 = (
    "INFO: hit: 352079 miss: 6274854 keys-added: 412480 keys-updated: 5862345 keys-evicted: 0 cost-added: 422379520 "
    "cost-evicted: 0 sets-dropped: 0 sets-rejected: 0 gets-dropped: 12352 gets-kept: 6609152 gets-total: 6626935 "
    "hit-ratio: 0.05"
)
# facebook/rocksdb issue 3961.
ROCKSDB = """rocksdb.block.cache.miss COUNT : 28561
rocksdb.block.cache.hit COUNT : 2679404
rocksdb.block.cache.filter.miss COUNT : 19929
rocksdb.block.cache.filter.hit COUNT : 880086
rocksdb.block.cache.filter.add COUNT : 19929
rocksdb.block.cache.filter.bytes.insert COUNT : 22410091261
rocksdb.block.cache.data.miss COUNT : 8619
rocksdb.block.cache.data.hit COUNT : 899293
rocksdb.bloom.filter.useful COUNT : 1
rocksdb.memtable.hit COUNT : 100000
rocksdb.memtable.miss COUNT : 900001"""
# tvondra/pg-block-bench-pgbench at 63eddac2, i5/20220414-no-fpw/logs/pg-1-1-16/250/run-rw-1/stat-bgwriter.csv.
BGWRITER = """run|ts|checkpoints_timed|checkpoints_req|buffers_checkpoint|buffers_clean|maxwritten_clean|buffers_backend
1|2022-04-07 06:37:02+02|17|7|5519413|2728851|27285|27022837
102|2022-04-07 06:38:47+02|17|7|5519413|2765823|27654|28567372
"""


def written(folder: Path) -> dict[str, Path]:
    """A file of each, by what it is."""
    rows = [
        f"{name},{value},{place // 2},TPS" for name, each in SYSBENCH_TABLE.items() for place, value in enumerate(each)
    ]
    found = {
        **{f"pgbench {name}": _pgbench(*each) for name, each in PGBENCH.items()},
        "sysbench table": "\n".join(["configuration,value,block,unit", *rows, ""]),
        "sysbench course": _sysbench(SYSBENCH_COURSE, 12488.43),
        **{f"hyperfine {name}": _json(results=[{"command": name, "times": each}]) for name, each in HYPERFINE.items()},
        **{f"pyperf {name}": _pyperf(each, 12 if name == "py36" else 13) for name, each in PYPERF.items()},
        **{f"google {name}": _google(each) for name, each in GOOGLE.items()},
        **{
            f"clickbench {name}": _json(system=name, date="2023-11-25", result=each)
            for name, each in CLICKBENCH.items()
        },
        "hammerdb": _hammerdb(*HAMMERDB),
    }
    paths = {name: folder / f"{name.replace(' ', '_')}.out" for name in found}
    for name, text in found.items():
        paths[name].write_text(text, "utf-8")
    return paths


def _json(**content: object) -> str:
    return json.dumps(content)


def _pgbench(tps: float, course: list[float]) -> str:
    seconds = [
        f"progress: {30 * place}.0 s, {each} tps, lat 5.4 ms stddev 13, 0 failed"
        for place, each in enumerate(course, 1)
    ]
    tail = ["latency average = 5.440 ms", f"tps = {tps} (without initial connection time)", ""]
    return "\n".join(
        ["pgbench (18beta3)", "starting vacuum...end.", *seconds, "transaction type: <builtin: TPC-B>", *tail]
    )


def _sysbench(course: list[float], mean: float) -> str:
    lines = [
        f"[ {10 * place}s ] thds: 256 tps: {each} qps: 2.0 (r/w/o: 1/0/1) lat (ms,95%): 51.02 err/s: 0.00"
        for place, each in enumerate(course, 1)
    ]
    tail = f"SQL statistics:\n    transactions:                        4759874 ({mean} per sec.)\n"
    return (
        "sysbench 1.0.20-ebf1c90 (using bundled LuaJIT 2.1.0-beta2)\n\nThreads started!\n\n"
        + "\n".join(lines)
        + f"\n{tail}"
    )


def _pyperf(runs: list[tuple[float, ...]], minute: int) -> str:
    found = [{"metadata": {"calibrate_loops": 64}, "warmups": [[1, 2.1e-06]]}]
    for place, values in enumerate(runs):
        about = {"date": f"2020-10-13 10:{minute}:{place:02}", "hostname": "apollo"}
        found.append({"metadata": about, "values": [1e-6 * each for each in values], "warmups": [[64, 2.1e-06]]})
    return json.dumps(
        {
            "version": "1.0",
            "metadata": {"unit": "second"},
            "benchmarks": [{"metadata": {"name": "[1]*1000"}, "runs": found}],
        }
    )


def _google(times: dict[str, float]) -> str:
    each = [
        {"name": name, "iterations": 1000, "real_time": ns, "cpu_time": ns, "time_unit": "ns"}
        for name, ns in times.items()
    ]
    return json.dumps({"context": {"date": "2016-08-02 17:44:46"}, "benchmarks": each})


def _hammerdb(nopm: int, points: list[int]) -> str:
    series = [{"points": [{"value": each} for each in points]}]
    return json.dumps(
        {
            "schema": "hammerdb-job-report-v1", "job": {"timestamp": "2026-06-04 18:19:36"},
            "benchmark_config": {"rampup_minutes": 2, "duration_minutes": 5}, "result": {"nopm": nopm},
            "transaction_count": {"series": series},
        }
    )  # fmt: skip
