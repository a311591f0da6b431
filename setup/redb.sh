#!/bin/sh
# crates.io in, redb's library (probes/kv/redb, whose lock has the hashes) into .tools/redb and the key-value probe with it
# into .tools/kv-redb out. With `--library` the library alone, for the tests of the probe.
# Assumes Cargo 1.90 or newer and, for the probe, what `make probe-kv` needs.
set -eu
unset CDPATH

cd "$(dirname "$0")/.."
root=$(pwd -P)
out=$root/.tools/redb
kv=$root/.tools/kv-redb
library=$out/release/libredb_c.a

say() { printf 'redb: %s\n' "$*" >&2; }
stop() { say "$*"; exit 1; }

command -v cargo >/dev/null 2>&1 || stop "there is no cargo here; install Rust (1.90 or newer; Debian 12: cargo-web)"
mkdir -p "$out"
cargo build --quiet --release --locked --manifest-path probes/kv/redb/Cargo.toml --target-dir "$out" >"$out/log" 2>&1 </dev/null || {
    tail -n 5 "$out/log" >&2
    stop "Cargo cannot build it (its words are above); check the network, and that Cargo is 1.90 or newer"
}
[ "${1:-}" = --library ] && exit
setup/bootstrap.sh --kv
cmake -S probes/kv -B "$kv" -G Ninja --log-level=WARNING -DKV_REDB="$library"
[ -x "$kv/kv" ] || say "building the key-value probe with it, a minute or two the first time"
ninja -C "$kv" $([ -t 1 ] || echo --quiet) kv
ln -sf kv "$kv/kv-redb"
say "$kv/kv-redb: $("$kv/kv-redb" --version)"
