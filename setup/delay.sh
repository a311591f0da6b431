#!/bin/sh
# The sources in probes/delay in, the program .tools/delay/delay out. Run by `make probe-delay`.
# Assumes a C compiler, which `setup/bootstrap.sh --cc` looks for: cc, or what CC names.
set -eu
unset CDPATH

cd "$(dirname "$0")/.."
root=$(pwd -P)
out=$root/.tools/delay
cc=${CC:-cc}
flags="-std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wshadow -Wconversion -Werror"

say() { printf 'delay: %s\n' "$*" >&2; }
stop() { printf 'delay: %s\n' "$*" >&2; exit 1; }

hash_of() {
    if command -v sha256sum >/dev/null 2>&1; then sha256sum; elif command -v shasum >/dev/null 2>&1; then shasum -a 256; else cksum; fi
}

# Another source, another compiler or other flags: built anew.
wanted_stamp() { { cat probes/delay/*.[ch] setup/delay.sh; "$cc" --version; } 2>/dev/null | hash_of; }

[ -x "$out/delay" ] && [ "$(cat "$out/stamp" 2>/dev/null)" = "$(wanted_stamp)" ] && exit
mkdir -p "$out"
# Unquoted: one word for each flag.
"$cc" $flags probes/delay/*.c -o "$out/delay.new" || stop "the proxy does not compile (the compiler's words are above); name another compiler: CC=/path/to/cc make probe-delay"
mv "$out/delay.new" "$out/delay"
wanted_stamp >"$out/stamp"
say "built $("$out/delay" --version)"
