// A killed writer: what it reported is found or counted as gone, and what ended it is never hidden.
#include "probe/crash.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

namespace kv {
namespace {

class Crash : public testing::Test {
  protected:
    Crash() {
        std::string pattern = (std::filesystem::temp_directory_path() / "kv-crash-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw Failed("no folder for the test");
        folder_ = pattern;
    }
    ~Crash() override { std::filesystem::remove_all(folder_); }

    Request asked(const std::string& engine, Json options, std::uint64_t after) {
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directory(folder_);
        Request request;
        request.folder = folder_;
        request.workload = "crash";
        request.engine = engine;
        request.index = "none";
        request.engine_options = std::move(options);
        request.data = Data{20'000, false, 0, 3};
        request.batch_rows = 1000;
        request.kill_after_batches = after;
        return request;
    }

    Measured kill_writer(const std::string& engine, Json options, std::uint64_t after) {
        Request request = asked(engine, std::move(options), after);
        std::istringstream input;
        std::ostringstream output;
        return measure_crash(request, input, output);
    }

    std::string folder_;
};

TEST_F(Crash, FindsEveryRowOfAnEngineThatLogs) {
    for (const std::uint64_t after : {1, 7, 20}) {
        for (const auto& [engine, options] : std::vector<std::pair<std::string, Json>>{
                 {"sqlite", Json::object()},
                 {"sqlite", {{"journal", "wal"}, {"synchronous", "normal"}}},
                 {"rocksdb", {{"sync", false}}},
                 {"rocksdb", {{"sync", true}}},
                 {"lmdb", Json::object()},
                 {"value_file", {{"sync", true}}},
#ifdef KV_REDB
                 {"redb", {{"sync", true}}},
                 {"redb", {{"sync", false}}},
#endif
             }) {
            SCOPED_TRACE(engine + options.dump() + std::to_string(after));
            const Measured found = kill_writer(engine, options, after);
            const Json& crash = found.counters["crash"];
            EXPECT_GE(crash["acknowledged_rows"], 1000 * after);
            EXPECT_LE(crash["acknowledged_rows"], 20'000u);
            EXPECT_EQ(crash["recovered_rows"], crash["acknowledged_rows"]);
            EXPECT_EQ(found.checked_reads, crash["recovered_rows"]);
            ASSERT_EQ(found.series.size(), 1u);
            EXPECT_EQ(found.series[0].values.size(), crash["batches"]);
        }
    }
}

TEST_F(Crash, CountsTheRowsThatAreGone) {
    const Json crash = kill_writer("rocksdb", {{"write_ahead_log", false}}, 20).counters["crash"];
    EXPECT_EQ(crash["acknowledged_rows"], 20'000u);
    EXPECT_EQ(crash["recovered_rows"], 0u) << "nothing left the memtable";
}

TEST_F(Crash, CountsTheWritersSyncs) {
    EXPECT_EQ(kill_writer("rocksdb", {{"sync", false}}, 20).counters["crash"]["syncs"], 0u);
    EXPECT_GE(kill_writer("rocksdb", {{"sync", true}}, 20).counters["crash"]["syncs"], 20u);
    EXPECT_GE(kill_writer("sqlite", Json::object(), 20).counters["crash"]["syncs"], 20u);
    EXPECT_EQ(kill_writer("sqlite", {{"synchronous", "off"}}, 20).counters["crash"]["syncs"], 0u);
#ifdef KV_REDB
    EXPECT_EQ(kill_writer("redb", {{"sync", false}}, 20).counters["crash"]["syncs"], 0u);
    EXPECT_GE(kill_writer("redb", {{"sync", true}}, 20).counters["crash"]["syncs"], 20u);
#endif
}

TEST_F(Crash, WaitsBetweenTheKillAndTheLookWhereItIsAskedTo) {
    Request request = asked("rocksdb", {{"sync", true}}, 3);
    request.turns = true;
    std::istringstream end("{\"end\": true}\n"), turn("{\"turn\": {\"for_ns\": 1}}\n");
    std::ostringstream output;
    const Measured found = measure_crash(request, end, output);
    EXPECT_EQ(Json::parse(output.str())["ready"], true);
    EXPECT_EQ(found.counters["crash"]["recovered_rows"], found.counters["crash"]["acknowledged_rows"]);
    Request again = asked("rocksdb", {{"sync", true}}, 3);
    again.turns = true;
    EXPECT_THROW(measure_crash(again, turn, output), Refused);
}

TEST_F(Crash, SaysWhyAWriterCouldNotBegin) {
    EXPECT_THROW(kill_writer("rocksdb", {{"blom_bits", 10}}, 1), Refused);
    EXPECT_THROW(kill_writer("sqlite", {{"journal", "fast"}}, 1), Refused);
}

}  // namespace
}  // namespace kv
