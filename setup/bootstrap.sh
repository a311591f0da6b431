#!/bin/sh
# A bare machine in, .venv with every locked package out. Run by `make setup`; `--browser` adds Chromium for the tests,
# `--kv` what the probe of the key-value engines is built with, `--cc` what the delaying proxy is, `--redis` a Redis server,
# `--pgm` the headers of another learned index, for `make bench` alone.
# Assumes a POSIX shell and nothing else: no uv, no pip, no venv module, no root, no git.
set -eu
unset CDPATH PYTHONHOME PYTHONPATH UV_PYTHON UV_SYSTEM_PYTHON UV_REQUIRE_HASHES
# What builds the project takes an empty one for a number.
[ -n "${SOURCE_DATE_EPOCH:-}" ] || unset SOURCE_DATE_EPOCH

cd "$(dirname "$0")/.."
root=$(pwd -P)
tools=.tools
stamp=.venv/.benchbook-setup
conda_way="with conda: conda env create -f environment.yml && conda activate benchbook, then the same make"

say() { printf 'setup: %s\n' "$*" >&2; }
stop() { printf 'setup: %s\n' "$*" >&2; exit 1; }
found() { command -v "$1" >/dev/null 2>&1; }

# Runs a command silently; only a failure shows what it said.
quietly() {
    "$@" >"$tools/log" 2>&1 </dev/null && return
    tail -n 20 "$tools/log" >&2
    return 1
}

hash_of() {
    if found sha256sum; then sha256sum; elif found shasum; then shasum -a 256; else cksum; fi
}

# The folder is part of it because scripts and the editable install hold it: a copied .venv must be made again.
wanted_stamp() {
    { cat requirements.lock pyproject.toml; echo "$root"; "$1" -VV; } 2>/dev/null | hash_of
}

ready() {
    [ -f "$stamp" ] && [ -x .venv/bin/python ] && [ "$(cat "$stamp")" = "$(wanted_stamp .venv/bin/python)" ]
}

# --- apt, only as root ----------------------------------------------------------------------------------------------

apt_works() { [ "$(id -u)" -eq 0 ] && found apt-get; }

apt_install() {
    say "installing $* with apt"
    set -- env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"
    # A fresh image has no package lists and an old one has stale ones, so a first failure means: refresh, try again.
    "$@" >/dev/null 2>&1 </dev/null || { quietly apt-get update && quietly "$@"; }
}

# PostgreSQL refuses to run as root. Under an account of its own, no other service can reach what belongs to its server.
own_account() {
    { apt_works && found useradd && found getent; } || return 0
    getent passwd benchbook >/dev/null && return
    say "making the system account benchbook, under which PostgreSQL runs"
    useradd --system --no-create-home --shell /usr/sbin/nologin benchbook >/dev/null 2>&1 </dev/null ||
        say "it could not be made; PostgreSQL will run as postgres or nobody"
}

# --- python ---------------------------------------------------------------------------------------------------------

# Prints the interpreter behind a name; fails for a pyenv shim without a version, and for any version not supported.
interpreter() {
    "$1" -c 'import sys
if not (3, 11) <= sys.version_info[:2] < (3, 14): sys.exit(1)
print(getattr(sys, "_base_executable", None) or sys.executable)' 2>/dev/null </dev/null
}

find_python() {
    for name in ${BENCHBOOK_PYTHON:-python3.11 python3.12 python3.13 python3 python /usr/bin/python3}; do
        if found "$name" && python=$(interpreter "$name"); then return; fi
    done
    return 1
}

# --- uv -------------------------------------------------------------------------------------------------------------

# The one version whose hashes are locked; another one of the machine's only fetches it.
usable_uv() {
    version=$("$1" --version 2>/dev/null </dev/null) || return 1
    version=${version#uv }
    [ "${version%% *}" = "$(sed -n 's/^uv==\([0-9.]*\).*/\1/p' setup/uv-requirements.txt)" ] && uv=$1
}

find_uv() {
    usable_uv "$tools/uv/bin/uv" || { found uv && usable_uv uv; }
}

# "$@" is a pip, or a uv that does the same. Into a folder of its own, so the system's Python stays as it is, externally managed or not.
installs_uv() {
    rm -rf "$tools/uv.new"
    quietly env PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 PIP_DISABLE_PIP_VERSION_CHECK=1 "$@" install \
        --target "$tools/uv.new" --only-binary :all: --require-hashes -r setup/uv-requirements.txt || return 1
    rm -rf "$tools/uv" && mv "$tools/uv.new" "$tools/uv"
}

# Debian's venv module exists but fails without ensurepip, so only trying tells.
venv_with_pip() {
    rm -rf "$tools/pip"
    "$python" -m venv "$tools/pip" >/dev/null 2>&1 </dev/null && has_pip "$tools/pip/bin/python"
}

has_pip() { "$1" -m pip --version >/dev/null 2>&1 </dev/null; }

# Debian's own pip, checked by apt and unpacked in here: needs no root and changes nothing outside.
borrow_pip() {
    found apt-get && found dpkg || return 1
    rm -rf "$tools/apt" && mkdir -p "$tools/apt/lists/partial" "$tools/apt/archives/partial" || return 1
    (
        cd "$tools/apt" || exit
        apt-get download python3-pip-whl && exit
        # A fresh image has no package lists, and only root may write the machine's: use lists of our own.
        set -- -o Dir::State::Lists="$PWD/lists" -o Dir::Cache="$PWD"
        apt-get "$@" update && apt-get "$@" download python3-pip-whl
    ) >"$tools/log" 2>&1 </dev/null && dpkg -x "$tools"/apt/python3-pip-whl_*.deb "$tools/apt" || return 1
    borrowed=$(ls "$tools"/apt/usr/share/python-wheels/pip-*.whl)
}

get_uv() {
    find_uv && return
    say "getting uv, the installer"
    if has_pip "$python"; then set -- "$python" -m pip
    elif found uv; then set -- env UV_PYTHON="$python" uv pip
    elif venv_with_pip; then set -- "$tools/pip/bin/python" -m pip
    elif borrow_pip; then set -- "$python" "$borrowed/pip"
    else
        stop "$python has neither pip nor venv; sudo apt-get install python3-pip, then the same make; $conda_way"
    fi
    # A fresh Debian image knows no certificate authority, and pip believes the system.
    if ! [ -e /etc/ssl/certs/ca-certificates.crt ] && apt_works; then apt_install ca-certificates || true; fi
    installs_uv "$@" || stop "pip could not install uv (its words are above); mend the network, pip's settings or the ca-certificates package; $conda_way"
    rm -rf "$tools/pip" "$tools/apt"
    find_uv || stop "the uv that pip installed does not start here; install uv by other means; $conda_way"
}

# --- the environment ------------------------------------------------------------------------------------------------

# Python reads this file in the locale's encoding before anything of ours runs: no folder's name may stand in it.
point_to_sources() {
    for file in .venv/lib/python3*/site-packages/_benchbook.pth; do
        [ -f "$file" ] && echo ../../../../src >"$file.new" && mv "$file.new" "$file" || return 1
    done
}

sync_environment() {
    # A moved .venv starts, but its scripts still name the old place.
    if ! [ -x .venv/bin/python ] || [ "$(.venv/bin/python -VV 2>&1)" != "$("$python" -VV 2>&1)" ] ||
        ! grep -qsF "$root/.venv" .venv/bin/activate; then
        say "making .venv with $("$python" -V)"
        rm -rf .venv
        quietly "$uv" venv --no-python-downloads --python "$python" .venv || stop "uv could not make .venv"
    fi
    rm -f "$stamp"
    point_to_sources || true # one of an earlier setup could keep Python itself from starting
    say "installing $(grep -c '^[a-z0-9]' requirements.lock) locked packages (the first time takes minutes)"
    quietly "$uv" pip sync --python .venv/bin/python --compile-bytecode --require-hashes --no-build requirements.lock ||
        stop "the locked packages could not be installed (uv's words are above); the same command tries again"
    # The build backend is locked too, so nothing is fetched without a hash.
    quietly "$uv" pip install --python .venv/bin/python --no-deps --no-build-isolation -e . ||
        stop "the project itself could not be installed (uv's words are above)"
    point_to_sources || stop "the project was not installed as expected: .venv has no _benchbook.pth; rm -r .venv, then the same make"
    quietly .venv/bin/benchbook --version ||
        stop "the program is installed and does not start (its words are above); rm -r .venv, then the same make; $conda_way"
    wanted_stamp .venv/bin/python >"$stamp.new" && mv "$stamp.new" "$stamp"
    say "ready in .venv"
}

prepare_uv() {
    if ! find_python; then
        { apt_works && apt_install python3 && find_python; } ||
            stop "no Python from 3.11 to 3.13 found; sudo apt-get install python3 python3-venv (Debian 12 or newer), or name one: BENCHBOOK_PYTHON=/path/to/python3 make setup; $conda_way"
    fi
    # uv reads none of pip's settings; a mirror or certificate that pip knows must hold for uv as well.
    eval "$("$python" setup/pip_settings.py)"
    get_uv
    cache=${UV_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/uv}
    { mkdir -p "$cache" && [ -w "$cache" ]; } 2>/dev/null || export UV_CACHE_DIR="$root/$tools/cache"
}

# Two makes at once: the second waits, then finds the work done.
take_turn() {
    { mkdir -p "$tools" && [ -w "$tools" ] && [ -w . ]; } 2>/dev/null ||
        stop "cannot write in this folder; give it to $(id -un) (chown -R), or copy it to a folder of yours"
    found flock || return 0
    exec 9>"$tools/lock"
    flock -n 9 || { say "another make is setting up; waiting for it"; flock 9; }
}

browser() {
    if [ -n "${BENCHBOOK_CHROMIUM:-}" ]; then
        found "$BENCHBOOK_CHROMIUM" ||
            stop "BENCHBOOK_CHROMIUM=$BENCHBOOK_CHROMIUM is not a program; name Chrome's or Chromium's, or unset it"
        return
    fi
    found chromium || found chromium-browser || found google-chrome
}

# Playwright brings a Node.js of its own, which needs a library that a minimal Debian lacks.
driver_starts() { .venv/bin/python -m playwright --version >/dev/null 2>&1 </dev/null; }

# --- the key-value probe --------------------------------------------------------------------------------------------

kv_packages="cmake ninja-build g++ pkg-config librocksdb-dev libsqlite3-dev liblmdb-dev libabsl-dev nlohmann-json3-dev libgtest-dev"

kv_builds() {
    found cmake && found ninja && found c++ || return 1
    for header in rocksdb/db.h sqlite3.h lmdb.h absl/container/btree_map.h nlohmann/json.hpp gtest/gtest.h; do
        echo "#include <$header>"
    done | c++ -std=c++20 -M -x c++ - >/dev/null 2>&1
}

# --- the delaying proxy ---------------------------------------------------------------------------------------------

cc_builds() { echo "#include <sys/epoll.h>" | "${CC:-cc}" -M -x c - >/dev/null 2>&1; }

# --- Redis ----------------------------------------------------------------------------------------------------------

# redis-tools holds the server's program under another name and, unlike redis-server, starts and enables no service.
redis_starts() {
    for server in "$tools/redis/redis-server" redis-server valkey-server; do
        "$server" --version >/dev/null 2>&1 </dev/null && return
    done
    return 1
}

redis_linked() {
    server=$(command -v redis-check-rdb) && mkdir -p "$tools/redis" && ln -sf "$server" "$tools/redis/redis-server" && redis_starts
}

# What builds packages that come as source alone: locked, and no build fetches anything of its own.
source_tools=setup/source-requirements.txt

# --- what was asked for ---------------------------------------------------------------------------------------------

case ${1:-} in
"") own_account; ready || { take_turn; ready || { prepare_uv; sync_environment; }; } ;;
--browser)
    setup/bootstrap.sh
    browser || {
        take_turn
        { apt_works && apt_install chromium && browser; } ||
            stop "the browser tests need Chromium; sudo apt-get install chromium; without root or with conda: BENCHBOOK_CHROMIUM=/path/to/any/chrome make test"
    }
    driver_starts || {
        take_turn
        { apt_works && apt_install libatomic1 && driver_starts; } ||
            stop "Playwright, which drives the browser, does not start; sudo apt-get install libatomic1 (elsewhere: your system's libatomic), then the same make"
    }
    ;;
--kv)
    kv_builds || {
        take_turn
        # Unquoted: one word for each package.
        { apt_works && apt_install $kv_packages && kv_builds; } ||
            stop "the key-value probe needs a compiler and the engines; sudo apt-get install $kv_packages (Debian 12 or newer), then the same make; chapters build from published runs without it"
    }
    ;;
--cc)
    cc_builds || {
        take_turn
        { apt_works && apt_install gcc libc6-dev && cc_builds; } ||
            stop "the delaying proxy needs Linux and a C compiler; sudo apt-get install gcc libc6-dev, then the same make; chapters leave out what it delays without it"
    }
    ;;
--redis)
    redis_starts || redis_linked || {
        take_turn
        { apt_works && apt_install redis-tools && redis_linked; } ||
            stop "the comparison with Redis needs a redis-server or valkey-server; sudo apt-get install redis-tools, then the same make; without it the chapter leaves Redis out"
    }
    ;;
--snakemake)
    place=$tools/snakemake
    snakemake_stamp() { { cat workflow/requirements.txt $source_tools; echo "$root"; } | hash_of; }
    [ -f "$place/stamp" ] && [ "$(cat "$place/stamp")" = "$(snakemake_stamp)" ] || {
        take_turn
        prepare_uv
        say "installing Snakemake into $place"
        rm -rf "$place"
        quietly "$uv" venv --no-python-downloads --python "$python" "$place" || stop "uv could not make $place"
        quietly "$uv" pip install --python "$place/bin/python" --require-hashes --no-build -r $source_tools &&
            quietly "$uv" pip install --python "$place/bin/python" --require-hashes --no-build-isolation \
                --only-binary :all: --no-binary connection-pool -r workflow/requirements.txt ||
            stop "Snakemake could not be installed (uv's words are above); the same command tries again"
        snakemake_stamp >"$place/stamp"
    }
    ;;
--pgm)
    # The package's wheel lacks the headers, so its source is built once, and they are taken from what was unpacked.
    place=$tools/pgm
    [ -f "$place/pgm/pgm_index.hpp" ] || {
        take_turn
        prepare_uv
        say "getting the PGM-index's headers (its package is compiled on the way, a minute)"
        rm -rf "$place.new"
        mkdir -p "$place.new/pgm"
        quietly "$uv" venv --no-python-downloads --python "$python" "$place.new/tools" || stop "uv could not make $place.new/tools"
        {
            quietly "$uv" pip install --python "$place.new/tools/bin/python" --require-hashes --no-build -r $source_tools &&
                quietly env UV_CACHE_DIR="$root/$place.new/cache" "$uv" pip install --python "$place.new/tools/bin/python" \
                    --no-deps --no-build-isolation --no-binary pygm --require-hashes -r setup/pgm-requirements.txt
        } ||
            stop "the PGM-index could not be had (uv's words are above); the same command tries again"
        find "$place.new/cache" -path '*/PGM-index/include/pgm/*.hpp' -exec cp {} "$place.new/pgm" ';'
        [ -f "$place.new/pgm/pgm_index.hpp" ] || stop "the package pygm no longer holds pgm_index.hpp; look at setup/pgm-requirements.txt"
        rm -rf "$place.new/cache" "$place.new/tools" "$place"
        mv "$place.new" "$place"
    }
    ;;
--lock)
    # Keeps the versions that still fit pyproject.toml; UPGRADE=1 takes the newest that do.
    take_turn
    prepare_uv
    export UV_CUSTOM_COMPILE_COMMAND="make lock"
    compile="$uv pip compile --universal --python-version 3.11 --generate-hashes ${UPGRADE:+--upgrade}"
    $compile --quiet --group build --group dev --group probes pyproject.toml -o requirements.lock
    $compile --quiet --group bootstrap -o setup/uv-requirements.txt
    $compile --quiet --group sources -o $source_tools
    $compile --quiet --group workflow -o workflow/requirements.txt
    ;;
*) stop "unknown option $1; see the first lines of setup/bootstrap.sh" ;;
esac
