# Thin on purpose: setup/bootstrap.sh makes the environment, the benchbook command does the work.
.DEFAULT_GOAL := help
.PHONY: help setup notebooks probes probe-badger probe-kv probe-stores probe-delay redis pooler postgres-16 rocksdb-10 redb snakemake book edition archive pdf test test-all test-kv test-slurm programs planted check bench lock clean
# A module path of the caller's would shadow the locked packages; without bytecode each process compiles all of it again.
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE

# Which notebooks' parameters `make book` takes: quick, standard or paper.
PROFILE ?= quick
BIN := .venv/bin

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 16

setup: ## everything needed, locked, into .venv
	@setup/bootstrap.sh

notebooks: setup ## write every notebook anew from its chapter's page and parameters
	@$(BIN)/benchbook chapter notebooks

probes: probe-badger probe-kv probe-stores probe-delay ## build the measuring programs in other languages

probe-badger: setup ## the probe for Badger, in Go, into .tools/probes
	@setup/probes.sh

probe-stores: setup ## the probe for event stores on several engines, in Go and C, into .tools/probes
	@setup/bootstrap.sh --kv
	@setup/probes.sh --stores

probe-delay: setup ## the proxy that adds a round trip, in C, into .tools/delay
	@setup/bootstrap.sh --cc
	@setup/delay.sh

redis: setup ## a Redis server for one chapter, from Debian's redis-tools; starts no service
	@setup/bootstrap.sh --redis

pooler: ## PgBouncer, unpacked from Debian's package into .tools/pooler
	@setup/pooler.sh

postgres-16: setup ## PostgreSQL 16.11, the notes' release, into .tools/postgres-16; says how to measure with it
	@setup/postgres-16.sh

rocksdb-10: setup ## RocksDB 10.4.2, note 004's release, and the key-value probe with it, into .tools; needs Cargo and 20 minutes
	@setup/rocksdb-10.sh

redb: setup ## redb, a store in Rust, and the key-value probe with it, into .tools; needs Cargo
	@setup/redb.sh

snakemake: setup ## Snakemake for workflow/Snakefile, into .tools/snakemake
	@setup/bootstrap.sh --snakemake

programs: setup ## every program that measures; one that cannot be had is left out
	@for program in probe-badger probe-kv probe-stores probe-delay redis pooler; do $(MAKE) --no-print-directory $$program || \
		echo "$$program: going on without it; its chapters show published runs" >&2; done

book: setup ## the published book, then its leading experiments (ALL=1: every one) measured (PROFILE=quick) and shown beside it
	@mkdir -p .tools; nice -n 19 $(MAKE) --no-print-directory programs >.tools/programs.log 2>&1 </dev/null & \
	trap "kill $$! 2>/dev/null" EXIT; trap 'exit 130' INT; trap 'exit 143' TERM; \
	$(BIN)/benchbook build || exit; \
	echo "The published book is there. What is not measured on this machine yet is measured now, to stand beside it." >&2; \
	kill -0 $$! 2>/dev/null && echo "First what measures is built: a minute or two the first time." >&2; \
	wait $$!; trap - EXIT; cat .tools/programs.log >&2
	@$(BIN)/benchbook run $(if $(ALL),--all,--leading) --profile $(PROFILE) || [ $$? -eq 3 ] # 3: what this machine could not measure is named
	@$(BIN)/benchbook build

edition: setup ## build the book from the published runs; measures nothing
	@$(BIN)/benchbook build --edition

archive: setup ## the book that was last built as one HTML file, in _build
	@$(BIN)/benchbook archive

pdf: setup ## the same as one PDF; needs Chromium
	@$(BIN)/benchbook pdf

# Collecting compiles the tests, which in a fresh clone each of pytest's workers would else do for itself.
test: ## the tests, with a real PostgreSQL and a real browser
	@setup/bootstrap.sh --browser
	@nice -n 19 $(BIN)/pytest --collect-only -qq -n0 >/dev/null 2>&1 & \
	$(MAKE) --no-print-directory probes test-kv; made=$$?; wait; exit $$made
	@for server in redis pooler; do $(MAKE) --no-print-directory $$server || echo "$$server: going on without it" >&2; done
	@setup/probes.sh --test
	$(BIN)/pytest -m "not long and not alone"
	$(BIN)/pytest -n0 -m "alone and not long"

test-all: ## these, every chapter on its engine and in the browser, the book on paper, and the long lists of faults
	@$(MAKE) --no-print-directory test
	$(BIN)/pytest -m "long and not alone"
	$(BIN)/pytest -n0 -m "long and alone"

test-slurm: snakemake ## a sweep of six points as jobs of a Slurm that lasts as long as the test; needs root on Debian
	@workflow/test-slurm.sh

planted: setup ## plants faults in a copy of the code and says which ones the tests do not find
	@$(BIN)/python tests/planted/plant.py

probe-kv: ## the probe for RocksDB, SQLite, LMDB and the learned index, into .tools/kv
	@setup/bootstrap.sh --kv
	@cmake -S probes/kv -B .tools/kv -G Ninja --log-level=WARNING
	@[ -x .tools/kv/kv ] || echo "probe-kv: building it, a minute or two the first time" >&2
	@ninja -C .tools/kv $$([ -t 1 ] || echo --quiet) kv kv_bench

test-kv: ## its tests, with sanitizers
	@setup/bootstrap.sh --kv
	@setup/redb.sh --library || echo "redb: going on without it; its store is not tested" >&2
	@cmake -S probes/kv -B .tools/kv-sanitized -G Ninja -DKV_SANITIZE=ON -DKV_REDB=$$(find "$$PWD/.tools/redb/release/libredb_c.a" 2>/dev/null) -DCMAKE_BUILD_TYPE=Sanitized \
		-DCMAKE_CXX_FLAGS_SANITIZED="-O1 -g1" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=4 --log-level=WARNING
	@ninja -C .tools/kv-sanitized --quiet kv kv_tests
	.tools/kv-sanitized/kv_tests --gtest_brief=1

bench: setup ## the book's own speed beside named peers (ONLY=part)
	@setup/bootstrap.sh --pgm || echo "pgm: going on without it; the learned index has one control less" >&2
	@$(MAKE) --no-print-directory probe-kv || echo "probe-kv: going on without it; its part is left out" >&2
	@$(BIN)/benchbook bench $(ONLY:%=--only %)

check: setup ## ruff, mypy and the import floors
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

lock: ## pin every version again after a change of pyproject.toml (UPGRADE=1: newest)
	@setup/bootstrap.sh --lock

clean: ## remove the built book and caches; runs, data and .venv stay
	rm -rf _build book/chapters .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests setup -name __pycache__ -type d -prune -exec rm -rf {} +
