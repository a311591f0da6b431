// Uniform look-ups in each engine, side by side in one process, every value compared with what was written.
#include "bench/engines_bench.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "bench/timing.hpp"
#include "engines/store.hpp"
#include "probe/data.hpp"

namespace bench {
namespace {

using kv::Json;

struct Contestant {
    const char* name;
    kv::Open open;
    Json options;
    std::unique_ptr<kv::Store> store;
    std::string folder;
    double load_s = 0;
    std::vector<double> means_ns, medians_ns;
};

/// SQLite as the note used it and at its best, RocksDB as the note set it before and after, and what they
/// compete with.
std::vector<Contestant> contestants() {
    const Json before{{"write_buffer_bytes", 256 << 20},  {"write_buffers", 3},
                      {"target_file_bytes", 128 << 20},   {"level0_trigger", 8},
                      {"level_base_bytes", 512 << 20},    {"compression", "lz4"},
                      {"bottommost_compression", "zstd"}, {"dynamic_level_bytes", true},
                      {"bytes_per_sync", 1 << 20}};
    Json after = before;
    after.update({{"bloom_bits", 10},
                  {"block_cache_bytes", 512 << 20},
                  {"cache_index_and_filter_blocks", true},
                  {"pin_level0", true},
                  {"block_bytes", 16384}});
    const Json sqlite_best{{"transaction", "read"},
                           {"journal", "wal"},
                           {"mutex", "none"},
                           {"mmap_bytes", std::uint64_t{8} << 30},
                           {"cache_kib", 65536}};
    const Json no_mutex{{"mutex", "none"}};  // the library through which the note used SQLite opens it so
    Json as_the_note = no_mutex;
    as_the_note["prepare"] = "get";
    std::vector<Contestant> all;
    const auto add = [&](const char* name, kv::Open open, Json options) {
        Contestant each;
        each.name = name;
        each.open = open;
        each.options = std::move(options);
        all.push_back(std::move(each));
    };
    // The indexes that compete lie in huge pages; the same in small ones, as the kernel gives unasked.
    add("ALEX + value file", kv::open_value_file, {{"value_index", "alex_huge_pages"}});
    add("ALEX in small pages", kv::open_value_file, {{"value_index", "alex"}});
    add("hash + value file", kv::open_value_file, {{"value_index", "hash_huge_pages"}});
    add("hash in small pages", kv::open_value_file, {{"value_index", "hash"}});
    add("B-tree + value file", kv::open_value_file, {{"value_index", "btree"}});
    add("SQLite best", kv::open_sqlite, sqlite_best);
    add("SQLite autocommit", kv::open_sqlite, no_mutex);
    add("SQLite as the note", kv::open_sqlite, as_the_note);
    add("LMDB", kv::open_lmdb, {{"transaction", "read"}});
    add("RocksDB note before", kv::open_rocksdb, before);
    add("RocksDB note after", kv::open_rocksdb, after);
    add("RocksDB PlainTable", kv::open_rocksdb, {{"table", "plain"}});
    add("RocksDB CuckooTable", kv::open_rocksdb, {{"table", "cuckoo"}});
    return all;
}

void load(Contestant& each, const kv::Data& data) {
    std::filesystem::create_directories(each.folder);
    Json options = each.options;
    each.store = each.open(each.folder, options);
    constexpr std::uint64_t kBatch = 100'000;
    const std::uint64_t begun = now_ns();
    std::vector<std::string> values(kBatch);
    std::vector<kv::Row> rows;
    for (std::uint64_t first = 0; first < data.rows; first += kBatch) {
        rows.clear();
        const std::uint64_t end = std::min(data.rows, first + kBatch);
        for (std::uint64_t row = first; row < end; ++row) {
            data.value(data.key(row), values[row - first]);
            rows.push_back({data.key(row), values[row - first]});
        }
        each.store->write(rows);
    }
    each.store->settle("compact");
    each.load_s = static_cast<double>(now_ns() - begun) / 1e9;
    each.store->begin_reads();
}

void measure(Contestant& each, const kv::Data& data, const std::vector<std::uint64_t>& keys) {
    std::string value, expected;
    std::vector<std::uint64_t> singles;
    singles.reserve(keys.size());
    // Twice the same number of look-ups: as a whole for the mean, with a time stamp each for the median.
    each.means_ns.push_back(ns_each(keys.size(), [&] {
        for (const std::uint64_t key : keys) {
            if (!each.store->get(key, value)) std::exit(1);
        }
    }));
    for (const std::uint64_t key : keys) {
        const std::uint64_t begun = now_ns();
        const bool found = each.store->get(key, value);
        singles.push_back(now_ns() - begun);
        data.value(key, expected);
        if (!found || value != expected) {
            std::fprintf(stderr, "%s read a wrong value\n", each.name);
            std::exit(1);
        }
    }
    std::nth_element(singles.begin(), singles.begin() + static_cast<std::ptrdiff_t>(singles.size() / 2),
                     singles.end());
    each.medians_ns.push_back(static_cast<double>(singles[singles.size() / 2]));
}

}  // namespace

void engines(std::uint64_t rows, std::size_t repetitions, std::uint64_t seed) {
    const kv::Data data{rows, false, 100, seed};
    std::string root = (std::filesystem::temp_directory_path() / "kv-bench-XXXXXX").string();
    if (mkdtemp(root.data()) == nullptr) return;
    auto all = contestants();
    try {
        for (Contestant& each : all) {
            each.folder = root + "/" + std::to_string(&each - all.data());
            load(each, data);
        }
        std::mt19937_64 random(seed);
        std::uniform_int_distribution<std::uint64_t> law(0, rows - 1);
        for (std::size_t i = 0; i <= repetitions; ++i) {
            std::vector<std::uint64_t> keys(100'000);
            for (std::uint64_t& key : keys) key = data.key(law(random));
            for (const std::size_t place : shuffled(all.size(), random)) {
                Contestant& each = all[place];
                measure(each, data, keys);
                if (i > 0) continue;  // the first round warms
                each.means_ns.clear();
                each.medians_ns.clear();
            }
        }
        for (const Contestant& each : all) {
            std::printf(
                "engines     %-20s mean %8.1f ns  P50 %8.1f ns  / ALEX + value file: mean %6.2f  P50 %6.2f   "
                "loaded in %.1f s\n",
                each.name, median(each.means_ns), median(each.medians_ns),
                median_ratio(each.means_ns, all[0].means_ns),
                median_ratio(each.medians_ns, all[0].medians_ns), each.load_s);
        }
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
    }
    all.clear();
    std::filesystem::remove_all(root);
}

}  // namespace bench
