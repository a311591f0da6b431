#!/bin/sh
# Debian's packages in, PgBouncer unpacked into .tools/pooler out. Run by `make pooler`.
# Unpacked and not installed, so it needs no root, changes nothing outside, and starts no service of the system.
# What is unpacked is one of the packages whose SHA-256 setup/pooler-packages.txt has.
# Assumes Debian's apt-get and dpkg; elsewhere BENCHBOOK_PGBOUNCER names a program that is there already.
set -eu
unset CDPATH

cd "$(dirname "$0")/.."
out=$(pwd -P)/.tools/pooler
sums=$(pwd -P)/setup/pooler-packages.txt
packages="pgbouncer libc-ares2 libevent-2.1-7"

say() { printf 'pooler: %s\n' "$*" >&2; }
stop() { printf 'pooler: %s\n' "$*" >&2; exit 1; }
starts() { LD_LIBRARY_PATH=$(echo "$1"/usr/lib/*-linux-gnu) "$1/usr/sbin/pgbouncer" --version; }

[ -f "$out/benchbook-packages.txt" ] && starts "$out" >/dev/null 2>&1 && exit
mend="install PgBouncer by other means and name it: BENCHBOOK_PGBOUNCER=/path/to/pgbouncer"
{ command -v apt-get && command -v dpkg; } >/dev/null 2>&1 || stop "there is no apt-get here; $mend"

rm -rf "$out.new" && mkdir -p "$out.new/archives/partial" "$out.new/lists/partial"
fetch() {
    (
        cd "$out.new/archives" || exit
        # Unquoted: one word for each package.
        apt-get download $packages && exit
        # A fresh image has no package lists, and only root may write the machine's: use lists of our own.
        set -- -o Dir::State::Lists="$out.new/lists" -o Dir::Cache="$out.new"
        apt-get "$@" update && apt-get "$@" download $packages
    ) >"$out.new/log" 2>&1 </dev/null
}
fetch || { tail -n 5 "$out.new/log" >&2; stop "apt-get cannot download $packages; mend the network, or $mend"; }
for package in "$out.new"/archives/*.deb; do
    sum=$(sha256sum <"$package" | cut -d' ' -f1) name=$(basename "$package")
    grep -q "^$sum " "$sums" ||
        stop "$name has the SHA-256 $sum, which setup/pooler-packages.txt does not have: Debian published another version; look at it and add its line, or $mend"
    dpkg -x "$package" "$out.new"
    dpkg-deb --show "$package" | tr '\t' ' ' >>"$out.new/benchbook-packages.txt"
done
rm -rf "$out.new/archives" "$out.new/lists" "$out"
mv "$out.new" "$out"
starts "$out" >/dev/null 2>&1 || stop "the program from Debian's package does not start; $mend"
say "unpacked $(starts "$out" | head -n 1)"
