#!/bin/sh
# Runs main.go with Badger as it is, then with fix.diff in a copy of it.
# Needs patch, and Go 1.23 or newer; GO names it.
set -eu
cd "$(dirname "$0")"
go=${GO:-go} badger=github.com/dgraph-io/badger/v4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GOFLAGS=-mod=readonly GOWORK=off GOTOOLCHAIN=local CGO_ENABLED=0

"$go" mod download
cp -R "$("$go" list -m -f '{{.Dir}}' $badger)" "$work/badger"
chmod -R u+w "$work/badger"
patch -s -d "$work/badger" -p1 <fix.diff
cp go.mod "$work/go.mod"
cp go.sum "$work/go.sum"
"$go" mod edit -replace=$badger="$work/badger" "$work/go.mod"

echo "$(date -u +%F), $("$go" env GOVERSION GOOS GOARCH | xargs)"
"$go" run -buildvcs=false .
"$go" run -buildvcs=false -modfile="$work/go.mod" .
