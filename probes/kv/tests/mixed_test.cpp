// Mixed operations: every kind is made and counted, what was written last is what is read, a wrong mix is
// refused.
#include "probe/mixed.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

namespace kv {
namespace {

class MixedWork : public testing::Test {
  protected:
    MixedWork() {
        std::string pattern = (std::filesystem::temp_directory_path() / "kv-mixed-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw Failed("no folder for the test");
        folder_ = pattern;
    }
    ~MixedWork() override { std::filesystem::remove_all(folder_); }

    Json request(const Json& options, const Json& run, std::uint64_t value_bytes = 40) {
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_ + "/store");
        Json whole{
            {"protocol", kProtocol},
            {"folder", folder_ + "/store"},
            {"samples", folder_ + "/samples"},
            {"seed", 7},
            {"workload", "mixed"},
            {"options", options},
            {"load", {{"rows", 500}, {"keys", "random"}, {"value_bytes", value_bytes}, {"batch_rows", 100}}},
            {"run", {{"law", "zipf"}, {"exponent", 0.99}, {"operations", 1000}, {"warm_operations", 50}}}};
        whole["run"].update(run);
        return whole;
    }

    Measured measure(const Json& whole) {
        std::istringstream input(whole.dump());
        Request asked = read_request(input);
        return measure_mixed(asked);
    }

    static std::size_t made(const Measured& found, const std::string& kind) {
        for (const Series& each : found.series)
            if (each.name == kind + ".service") return each.values.size();
        return 0;
    }

    std::string folder_;
};

TEST_F(MixedWork, EveryEngineHoldsWhatWasWrittenLast) {
    for (const Json& options :
         std::vector<Json>{{{"engine", "rocksdb"}},
                           {{"engine", "rocksdb"}, {"index", "alex"}},
                           {{"engine", "rocksdb"}, {"index", "note_flat"}, {"row_cache_entries", 30}},
                           {{"engine", "sqlite"}, {"journal", "wal"}, {"synchronous", "off"}},
                           {{"engine", "lmdb"}, {"sync", false}},
                           {{"engine", "value_file"}},
#ifdef KV_REDB
                           {{"engine", "redb"}, {"sync", false}},
#endif
         }) {
        for (const std::uint64_t bytes : {0, 40}) {
            SCOPED_TRACE(options.dump());
            const Json mix{{"read", 40},   {"update", 20}, {"insert", 10},
                           {"modify", 20}, {"scan", 10},   {"scan_rows", 8}};
            const Measured found = measure(request(options, mix, bytes));
            EXPECT_NEAR(static_cast<double>(made(found, "read")), 400, 80);
            EXPECT_NEAR(static_cast<double>(made(found, "update")), 200, 60);
            EXPECT_NEAR(static_cast<double>(made(found, "insert")), 100, 50);
            EXPECT_NEAR(static_cast<double>(made(found, "modify")), 200, 60);
            EXPECT_NEAR(static_cast<double>(made(found, "scan")), 100, 50);
            EXPECT_EQ(found.counters["run"]["operations"], 1000u);
            EXPECT_GT(found.counters["run"]["measured_ns"], 0u);
            // Reads, scans, reads that are written back, 50 that warm, and each written row once more.
            EXPECT_GT(found.checked_reads, 750u + 100u);
            EXPECT_TRUE(found.counters.contains("flushed"));
        }
    }
}

TEST_F(MixedWork, TheLatestRowsArePopularAndNewOnesAreAmongThem) {
    const Json options{{"engine", "rocksdb"}};
    const Measured found = measure(request(options, {{"law", "latest"}, {"read", 50}, {"insert", 50}}));
    EXPECT_EQ(made(found, "read") + made(found, "insert"), 1000u);
    EXPECT_EQ(found.checked_reads, 50u + 1000u);
}

TEST_F(MixedWork, TheSameSeedDrawsTheSameOperations) {
    const Json options{{"engine", "lmdb"}}, mix{{"read", 50}, {"update", 50}};
    const Measured first = measure(request(options, mix)), second = measure(request(options, mix));
    EXPECT_EQ(made(first, "update"), made(second, "update"));
    EXPECT_EQ(first.checked_reads, second.checked_reads);
}

TEST_F(MixedWork, OverwrittenRowsHaveOtherValues) {
    for (const std::uint64_t bytes : {0u, 40u}) {
        const Data data{10, true, bytes, 3};
        std::string first, second, third;
        data.value(4, first);
        data.value(4, second, 1);
        data.value(4, third, 2);
        EXPECT_NE(first, second);
        EXPECT_NE(second, third);
    }
}

TEST_F(MixedWork, WhatMakesNoMixIsRefused) {
    const Json options{{"engine", "rocksdb"}};
    for (const Json& run : std::vector<Json>{{{"read", 99}},
                                             {{"read", 90}, {"scan", 10}},
                                             {{"read", 100}, {"scan_rows", 5}},
                                             {{"read", 100}, {"law", "stride"}},
                                             {{"read", 100}, {"stride", 5}},
                                             {{"read", 100}, {"operations", 0}}}) {
        EXPECT_THROW(measure(request(options, run)), Refused) << run.dump();
    }
    EXPECT_THROW(measure(request({{"engine", "none"}, {"index", "alex"}}, {{"read", 100}})), Refused);
}

}  // namespace
}  // namespace kv
