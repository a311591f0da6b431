#!/bin/sh
# Compiles main.cc with RocksDB's headers and library (Debian: librocksdb-dev) and runs it. CXX names the compiler.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "$(date -u +%F), $("${CXX:-g++}" --version | head -n 1)"
"${CXX:-g++}" -std=c++17 -O2 -fno-rtti main.cc -lrocksdb -o "$work/main"
mkdir "$work/store"
"$work/main" "$work/store"
