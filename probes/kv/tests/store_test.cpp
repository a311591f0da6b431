// Every engine, with every kind of use, gives back what was written and nothing else.
#include "engines/store.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>

#include "engines/index.hpp"

namespace kv {
namespace {

class Folder {
  public:
    Folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "kv-test-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw Failed("no folder for the test");
        path = pattern;
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string path;
};

struct Way {
    Open open;
    Json options;
    bool ordered = true;
};

std::vector<Way> ways() {
    std::vector<Way> all{
        {open_rocksdb, {}},
        {open_rocksdb,
         {{"bloom_bits", 10},
          {"block_cache_bytes", 1 << 20},
          {"cache_shard_bits", 0},
          {"cache_index_and_filter_blocks", true},
          {"pin_level0", true},
          {"block_bytes", 16384},
          {"statistics", true},
          {"sync", true}}},
        {open_rocksdb,
         {{"block_cache_bytes", 0}, {"compression", "lz4"}, {"bottommost_compression", "zstd"}}},
        {open_rocksdb, {{"compaction", "universal"}, {"direct_reads", true}, {"open_files", 5000}}},
        {open_rocksdb, {{"table", "plain"}, {"write_ahead_log", false}}, false},
        {open_sqlite, Json::object()},
        {open_lmdb, {{"sync", false}}},
        {open_lmdb, {{"transaction", "read"}, {"map_bytes", 1 << 26}}},
        {open_value_file, {{"verify", false}}},
#ifdef KV_REDB
        {open_redb, {{"sync", false}}},
        {open_redb, {{"transaction", "read"}, {"cache_bytes", 1 << 20}}},
#endif
    };
    for (const char* prepare : {"once", "query", "get"}) {
        for (const char* transaction : {"autocommit", "read"}) {
            for (const char* journal : {"delete", "wal"}) {
                all.push_back({open_sqlite,
                               {{"prepare", prepare},
                                {"transaction", transaction},
                                {"journal", journal},
                                {"synchronous", "full"},
                                {"cache_kib", 4000},
                                {"mmap_bytes", 1 << 24},
                                {"mutex", "none"}}});
            }
        }
    }
    for (const char* index :
         {"alex", "alex_simd", "alex_huge_pages", "btree", "hash", "hash_huge_pages", "sorted"}) {
        const bool has_order = !std::string(index).starts_with("hash");
        all.push_back({open_value_file, {{"value_index", index}, {"sync", true}}, has_order});
    }
    return all;
}

std::string value_of(std::uint64_t key) { return std::string(key % 300, 'a') + std::to_string(key); }

TEST(Store, GivesBackWhatWasWritten) {
    for (const Way& way : ways()) {
        SCOPED_TRACE(way.options.dump());
        for (const char* settle : {"nothing", "flush", "compact"}) {
            const Folder folder;
            Json options = way.options;
            if (options.is_null()) options = Json::object();
            const auto store = way.open(folder.path, options);
            EXPECT_TRUE(options.empty()) << "every option is taken";
            constexpr std::uint64_t kRows = 2000;
            for (int batch = 0; batch < 4; ++batch) {
                std::vector<std::string> values;
                std::vector<Row> rows;
                for (std::uint64_t i = 0; i < kRows / 4; ++i) values.push_back(value_of(3 * (4 * i + batch)));
                for (std::uint64_t i = 0; i < kRows / 4; ++i)
                    rows.push_back({3 * (4 * i + batch), values[i]});
                store->write(rows);
            }
            store->settle(settle);
            store->begin_reads();
            std::string value;
            for (std::uint64_t row = 0; row < kRows; ++row) {
                ASSERT_TRUE(store->get(3 * row, value));
                ASSERT_EQ(value, value_of(3 * row));
                ASSERT_FALSE(store->get(3 * row + 1, value));
            }
            if (way.ordered) {
                std::uint64_t bytes = 0;
                EXPECT_EQ(store->scan(4, 10, bytes), 10u);
                std::uint64_t expected = 0;
                for (std::uint64_t i = 2; i < 12; ++i) expected += value_of(3 * i).size();
                EXPECT_EQ(bytes, expected);
                EXPECT_EQ(store->scan(3 * kRows - 6, 10, bytes), 2u);
            }
            EXPECT_FALSE(store->counters().dump().empty());
            EXPECT_TRUE(store->settings().is_object());
            EXPECT_FALSE(store->version().empty());
            store->end_reads();
        }
    }
}

TEST(Store, HoldsAfterReopeningWhatWasWritten) {
    for (const Way& way : ways()) {
        // What no log and no table file holds is not there again, and nobody promised that it would be.
        if (way.options.contains("write_ahead_log")) continue;
        SCOPED_TRACE(way.options.dump());
        const Folder folder;
        constexpr std::uint64_t kRows = 600;
        for (std::uint64_t opened = 0; opened < 3; ++opened) {
            Json options = way.options;
            if (options.is_null()) options = Json::object();
            const auto store = way.open(folder.path, options);
            std::string value;
            store->begin_reads();
            for (std::uint64_t row = 0; row < opened * kRows; ++row) {
                ASSERT_TRUE(store->get(7 * row, value));
                ASSERT_EQ(value, value_of(7 * row));
            }
            ASSERT_FALSE(store->get(7 * opened * kRows, value));
            store->end_reads();
            std::vector<std::string> values;
            std::vector<Row> rows;
            for (std::uint64_t i = opened * kRows; i < (opened + 1) * kRows; ++i)
                values.push_back(value_of(7 * i));
            for (std::uint64_t i = 0; i < kRows; ++i) rows.push_back({7 * (opened * kRows + i), values[i]});
            store->write(rows);
        }
    }
}

TEST(Store, OverwritesAKey) {
    std::vector<Open> every{open_rocksdb, open_sqlite, open_lmdb, open_value_file};
#ifdef KV_REDB
    every.push_back(open_redb);
#endif
    for (const Open open : every) {
        const Folder folder;
        Json options = Json::object();
        const auto store = open(folder.path, options);
        for (const char* text : {"first", "second"}) {
            const Row row{~std::uint64_t{0}, text};
            store->write({&row, 1});
            std::string value;
            EXPECT_TRUE(store->get(row.key, value));
            EXPECT_EQ(value, text);
        }
    }
}

TEST(Store, RefusesUnknownAndImpossibleOptions) {
    const std::vector<std::pair<Open, Json>> wrong{
        {open_rocksdb, {{"blom_bits", 10}}},
        {open_rocksdb, {{"compression", "zip"}}},
        {open_rocksdb, {{"compaction", "fifo"}}},
        {open_rocksdb, {{"block_cache_bytes", -1}}},
        {open_rocksdb, {{"block_cache_bytes", 1 << 20}, {"cache_shard_bits", 20}}},
        {open_rocksdb, {{"sync", true}, {"write_ahead_log", false}}},
        {open_sqlite, {{"journal", "fast"}}},
        {open_sqlite, {{"cache_kib", 0}}},
        {open_lmdb, {{"map_bytes", "much"}}},
        {open_value_file, {{"value_index", "skiplist"}}},
#ifdef KV_REDB
        {open_redb, {{"cache_bytes", "much"}}},
        {open_redb, {{"transaction", "write"}}},
#endif
    };
    for (const auto& [open, asked] : wrong) {
        const Folder folder;
        Json options = asked;
        EXPECT_THROW(open(folder.path, options), Refused) << asked.dump();
        EXPECT_TRUE(std::filesystem::is_empty(folder.path)) << "nothing is opened for " << asked.dump();
    }
}

TEST(Index, AHashThatFillsHugePagesHoldsEveryKeyWhileItGrows) {
    const auto index = make_index("hash_huge_pages");
    constexpr std::uint64_t kKeys = 400'000;  // several tables, the last of them of 8 MiB
    for (std::uint64_t key = 0; key < kKeys; ++key) index->put(key * 7, key);
    for (std::uint64_t key = 0; key < kKeys; ++key) {
        ASSERT_EQ(index->get(key * 7), key);
        ASSERT_FALSE(index->get(key * 7 + 1));
    }
}

TEST(Index, AllKindsAgree) {
    std::mt19937_64 random(12);
    for (const char* name : {"alex", "alex_simd", "alex_huge_pages", "btree", "hash", "hash_huge_pages",
                             "sorted", "note_flat", "note_levels"}) {
        for (const std::size_t loaded : {0, 1, 100, 20'000}) {
            SCOPED_TRACE(std::string(name) + " " + std::to_string(loaded));
            const auto index = make_index(name);
            std::map<std::uint64_t, std::uint64_t> expected;
            while (expected.size() < loaded) expected[random() % 100'000] = random();
            std::vector<alex::Entry> entries;
            for (const auto& [key, value] : expected) entries.push_back({key, value});
            if (loaded > 0) index->load(entries);
            for (int i = 0; i < 3000; ++i) {
                const std::uint64_t key = i % 3 == 0 ? static_cast<std::uint64_t>(i) : random() % 200'000;
                index->put(key, key + 1);
                expected[key] = key + 1;
            }
            for (const auto& [key, value] : expected) ASSERT_EQ(index->get(key), value);
            for (std::uint64_t key = 0; key < 3000; ++key)
                ASSERT_EQ(index->get(key).has_value(), expected.contains(key));
            std::vector<std::uint64_t> values;
            if (!index->values_from(700, 300, values)) continue;
            auto at = expected.lower_bound(700);
            ASSERT_EQ(values.size(), 300u);
            for (const std::uint64_t value : values) ASSERT_EQ(value, at++->second);
        }
    }
    EXPECT_THROW(make_index("trie"), Refused);
}

}  // namespace
}  // namespace kv
