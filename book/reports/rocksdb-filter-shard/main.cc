// RocksDB reads the whole filter for every look-up if it is kept in the block cache and larger than a shard of it.
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <chrono>
#include <cstdio>
#include <random>
using namespace rocksdb;

constexpr int rows = 1'000'000, lookups = 4'000;

struct Journal : Logger {  // counts the warnings that RocksDB would write into its file LOG
    int warnings = 0;
    void Logv(const char*, va_list) override {}
    void Logv(InfoLogLevel level, const char*, va_list) override {
        warnings += level == WARN_LEVEL || level == ERROR_LEVEL;
    }
};

void must(const Status& status) {
    if (!status.ok()) std::puts(status.ToString().c_str()), std::exit(1);
}
std::string key(unsigned i) { return "row-" + std::to_string(100'000'000 + i); }

void attempt(const char* name, const char* folder, BlockBasedTableOptions table, int shard_bits = -1) {
    auto journal = std::make_shared<Journal>();
    table.filter_policy.reset(NewBloomFilterPolicy(10));
    table.block_cache = NewLRUCache(32 << 20, shard_bits);
    Options options;
    options.create_if_missing = true;
    options.statistics = CreateDBStatistics();
    options.info_log = journal;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    DB* db = nullptr;
    must(DB::Open(options, folder, &db));
    std::string value;
    if (!db->Get(ReadOptions(), key(0), &value).ok())
        for (int i = 0; i < rows; i++) must(db->Put(WriteOptions(), key(i), "value_" + std::to_string(i)));
    CompactRangeOptions anew;  // into one file, with these options
    anew.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    must(db->CompactRange(anew, nullptr, nullptr));
    TablePropertiesCollection files;
    must(db->GetPropertiesOfAllTables(&files));
    std::mt19937 random(1);
    auto ask = [&] { for (int i = 0; i < lookups; i++) must(db->Get(ReadOptions(), key(random() % rows), &value)); };
    ask();
    must(options.statistics->Reset());
    auto begin = std::chrono::steady_clock::now();
    ask();
    std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    auto each = [&](Tickers what) { return double(options.statistics->getTickerCount(what)) / lookups; };
    double filter_mb = files.begin()->second->filter_size / 1e6, us = took.count() / lookups;
    std::printf("%-30s %5zu %6.2f %6.3f %8.3f %9d %6.1f\n", name, files.size(), filter_mb,
                each(BLOCK_CACHE_FILTER_MISS), each(BLOCK_CACHE_ADD_FAILURES), journal->warnings, us);
    delete db;
}

int main(int, char** arguments) {
    std::printf("RocksDB %s, %d rows, LRU cache of 32 MiB\n", GetRocksVersionAsString().c_str(), rows);
    std::printf("%-30s %5s %6s %6s %8s %9s %6s\n", "filter", "files", "MB", "read", "refused", "warnings", "us");
    BlockBasedTableOptions outside, cached;
    cached.cache_index_and_filter_blocks = true;
    BlockBasedTableOptions pinned = cached, parts = cached;
    pinned.metadata_cache_options.unpartitioned_pinning = PinningTier::kAll;
    parts.partition_filters = true;
    parts.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    attempt("outside the cache, the default", arguments[1], outside);
    attempt("cached, 64 shards of 0.5 MiB", arguments[1], cached);
    attempt("cached, 1 shard of 32 MiB", arguments[1], cached, 0);
    attempt("cached, 64 shards, pinned", arguments[1], pinned);
    attempt("cached, 64 shards, partitions", arguments[1], parts);
}
