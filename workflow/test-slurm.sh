#!/bin/sh
# A sweep of six points on a Slurm of one node: Debian's packages, unpacked and never installed, in namespaces of their own
# for files and network, so that this machine keeps nothing of it. Run by `make test-slurm`, as root on Debian.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd -P)
tools=$root/.tools/slurm
say() { printf 'test-slurm: %s\n' "$*" >&2; }
stop() { say "$*"; exit 1; }

unpack() {
    [ "$(id -u)" -eq 0 ] || stop "needs root: it mounts Slurm's files for itself; sudo make test-slurm"
    command -v apt-get >/dev/null && command -v unshare >/dev/null || stop "needs Debian's apt-get and unshare"
    [ -x "$tools/root/usr/sbin/slurmctld" ] && return
    say "unpacking Debian's Slurm into .tools/slurm"
    rm -rf "$tools"
    mkdir -p "$tools/debs/partial" "$tools/root"
    set -- apt-get -qq -y --no-install-recommends --download-only -o "Dir::Cache::archives=$tools/debs" \
        install slurmctld slurmd slurm-client munge
    "$@" >"$tools/log" 2>&1 || { apt-get -qq update && "$@" >"$tools/log" 2>&1; } ||
        { tail -n 5 "$tools/log" >&2; stop "the packages could not be had"; }
    for package in "$tools"/debs/*.deb; do dpkg -x "$package" "$tools/root"; done
    # Installed, Debian's alternatives would give these programs their names.
    for program in "$tools"/root/usr/sbin/*-wlm "$tools"/root/usr/bin/*-wlm; do
        [ -e "$program" ] && ln -s "${program##*/}" "${program%-wlm}"
    done
    [ -x "$tools/root/usr/sbin/slurmctld" ] || stop "Debian's packages do not hold what they used to"
}

configure() {
    host=$(hostname -s)
    mkdir -p "$work/etc/slurm" "$work/state" "$work/spool" "$work/munge"
    cat >"$work/etc/slurm/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
MinJobAge=3600
ReturnToService=2
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1100)) State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
    dd if=/dev/urandom of="$work/munge/key" bs=128 count=1 2>/dev/null
    chmod 400 "$work/munge/key"
}

# A project of its own, so that the points are not among this clone's runs.
project() {
    mkdir -p "$work/home/data/published"
    cp _config.yml "$work/home/"
    cp data/*.csv "$work/home/data/"
    cp -R data/notes "$work/home/data/"
    cp -R notebooks "$work/home/"
}

inside() {
    work=$1
    mount -t overlay overlay -o "lowerdir=$tools/root/usr:/usr" /usr
    mount -t overlay overlay -o "lowerdir=$work/etc:$tools/root/etc:/etc" /etc
    mount -t tmpfs tmpfs /run
    mkdir -p /run/munge
    # The loopback up, and beside its own an address of another kind: with none, Slurm's names lead nowhere.
    .venv/bin/python - <<'END'
import fcntl, socket, struct

SIOCSIFFLAGS, SIOCSIFADDR, UP_AND_RUNNING = 0x8914, 0x8916, 0x1 | 0x40
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as lo:
    fcntl.ioctl(lo, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", UP_AND_RUNNING))
    address = struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton("10.99.99.1"))
    fcntl.ioctl(lo, SIOCSIFADDR, struct.pack("16s16s", b"lo:0", address))
END
    munged --force --key-file="$work/munge/key" --socket=/run/munge/munge.socket.2 --pid-file="$work/munge/pid" \
        --log-file="$work/munge/log" --seed-file="$work/munge/seed"
    slurmctld
    slurmd -N node1
    trap 'pkill -F "$work/slurmd.pid" || true; pkill -F "$work/slurmctld.pid" || true; pkill -F "$work/munge/pid" || true' EXIT
    for _ in $(seq 60); do
        sinfo --noheader --format %T 2>/dev/null | grep -q idle && break
        sleep 1
    done
    sinfo
    export BENCHBOOK_HOME="$work/home"
    .venv/bin/benchbook sweep own_server --profile quick -g n_tables=3,6 -g requests=100,150,200 --blocks 2 --quiet \
        --emit "$work/sweep.yaml"
    .tools/snakemake/bin/snakemake --snakefile workflow/Snakefile --configfile "$work/sweep.yaml" \
        --config "results=$work/results" --profile workflow/profiles/slurm --slurm-status-command squeue \
        --slurm-init-seconds-before-status-checks 3 --latency-wait 10 --slurm-logdir "$work/logs" </dev/null ||
        { tail -n 20 "$work"/results/*.log "$work"/slurm*.log >&2; exit 1; }
    .venv/bin/python - "$work" <<'END'
import csv, json, sys
from pathlib import Path

work = Path(sys.argv[1])
runs = [json.loads(path.read_text()) for path in work.glob("home/runs/own_server/*/run.json")]
assert len(runs) == 6 and all(run["state"] == "complete" for run in runs), runs
assert {run["provenance"]["scheduler"] for run in runs} == {"Slurm"}
points = {(run["parameters"]["n_tables"], run["parameters"]["requests"]) for run in runs}
assert points == {(tables, requests) for tables in (3, 6) for requests in (100, 150, 200)}, points
rows = list(csv.DictReader((work / "results" / "response.csv").open()))
assert {(int(row["n_tables"]), int(row["requests"])) for row in rows} == points, rows
print(f"test-slurm: six points as six jobs of Slurm, {len(rows)} rows in the table")
END
}

if [ "${1:-}" = inside ]; then
    inside "$2"
else
    unpack
    work=$(mktemp -d /var/tmp/benchbook-slurm-XXXXXX)
    chmod 755 "$work"
    trap '[ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT
    configure
    project
    timeout ${LIMIT:-600} unshare --mount --propagation private --net sh "$0" inside "$work"
fi
