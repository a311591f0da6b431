#!/bin/sh
# crates.io in, RocksDB 10.4.2 (the release of note 004) built into .tools/rocksdb-10, and the key-value probe with it into
# .tools/kv-rocksdb-10 out. The source is that of the crate whose SHA-256 is below.
# Assumes Cargo 1.68 or newer and what `make probe-kv` needs. The first build takes some twenty minutes of two processors.
set -eu
unset CDPATH

cd "$(dirname "$0")/.."
root=$(pwd -P)
out=$root/.tools/rocksdb-10
kv=$root/.tools/kv-rocksdb-10
program=$kv/kv-rocksdb-10
crate=librocksdb-sys
version=0.17.3+10.4.2
sum=cef2a00ee60fe526157c9023edab23943fae1ce2ab6f4abb2a807c1746835de9

say() { printf 'rocksdb-10: %s\n' "$*" >&2; }
stop() { say "$*"; exit 1; }

fetch() {
    command -v cargo >/dev/null 2>&1 || stop "there is no cargo here; install Rust (1.68 or newer)"
    mkdir -p "$1/package/src"
    : >"$1/package/src/lib.rs"
    cat >"$1/package/Cargo.toml" <<TOML
[package]
name = "book"
version = "0.0.0"
edition = "2021"
[dependencies]
$crate = { version = "=${version%+*}", default-features = false }
TOML
    CARGO_HOME=$1/cargo cargo fetch --quiet --manifest-path "$1/package/Cargo.toml" >"$1/log" 2>&1 </dev/null ||
        { tail -n 5 "$1/log" >&2; stop "Cargo cannot fetch it; check the network, and that Cargo is 1.68 or newer"; }
    found=$(find "$1/cargo" -name "$crate-$version.crate")
    got=$(sha256sum <"$found" | cut -d' ' -f1)
    [ "$got" = "$sum" ] || stop "$crate-$version.crate has the SHA-256 $got and not that of setup/rocksdb-10.sh; fetch it again, or look at what changed"
    tar -xzf "$found" -C "$1" "$crate-$version/rocksdb"
    mv "$1/$crate-$version/rocksdb" "$1/source"
    rm -rf "$1/cargo" "$1/package" "${1:?}/$crate-$version"
}

if [ ! -f "$out/lib/librocksdb.so" ]; then
    setup/bootstrap.sh --kv
    work=$out.new
    # A build that was stopped goes on where it was.
    [ -d "$work/source" ] || { rm -rf "$work"; fetch "$work"; }
    say "compiling RocksDB ${version#*+} (the first time takes some twenty minutes of two processors)"
    cmake -S "$work/source" -B "$work/build" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=Release -DPORTABLE=1 \
        -DWITH_TESTS=OFF -DWITH_ALL_TESTS=OFF -DWITH_BENCHMARK_TOOLS=OFF -DWITH_TOOLS=OFF -DWITH_CORE_TOOLS=OFF \
        -DWITH_TRACE_TOOLS=OFF -DWITH_GFLAGS=OFF -DWITH_SNAPPY=ON -DWITH_LZ4=ON -DWITH_ZSTD=ON -DWITH_ZLIB=ON -DWITH_BZ2=ON \
        -DFAIL_ON_WARNINGS=OFF >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; stop "CMake refuses it (its words are above)"; }
    ninja -C "$work/build" $([ -t 1 ] || echo --quiet) rocksdb-shared
    rm -rf "$out" && mkdir -p "$out/lib"
    cp -R "$work/source/include" "$out/include"
    for library in "$work/build"/librocksdb.so*; do cp -P "$library" "$out/lib/"; done
    rm -rf "$work"
fi
cmake -S probes/kv -B "$kv" -G Ninja --log-level=WARNING -DKV_ROCKSDB="$out"
ninja -C "$kv" $([ -t 1 ] || echo --quiet) kv
ln -sf kv "$program"
say "$program: $("$program" --version)"
