// Turns: together they ask for what one run asks for, keep what they should, and nothing else is taken for
// one.
#include "probe/turns.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <sstream>

#include "probe/gets.hpp"

namespace kv {
namespace {

constexpr std::uint64_t kBatch = 64;
const Json kZipf{{"law", "zipf"}, {"exponent", 0.9}};
constexpr const char* kLong = R"("for_ns": 1000000000000)";

std::string turn(const std::string& fields) { return "{\"turn\": {" + fields + "}}\n"; }

std::uint64_t sum(const Series& series) {
    return std::accumulate(series.values.begin(), series.values.end(), std::uint64_t{0});
}

class InTurns : public testing::Test {
  protected:
    InTurns() {
        std::string pattern = (std::filesystem::temp_directory_path() / "kv-turns-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw Failed("no folder for the test");
        folder_ = pattern;
    }
    ~InTurns() override { std::filesystem::remove_all(folder_); }

    /// run: what differs from a plain run.
    Json request(const Json& run = kZipf, bool turns = true) {
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_ + "/store");
        Json whole{{"protocol", kProtocol},
                   {"folder", folder_ + "/store"},
                   {"samples", folder_ + "/samples"},
                   {"seed", 5},
                   {"workload", "gets"},
                   {"options", {{"engine", "lmdb"}, {"index", "alex"}, {"row_cache_entries", 40}}},
                   {"load", {{"rows", 900}, {"keys", "random"}, {"value_bytes", 0}, {"batch_rows", 0}}},
                   {"run", {{"operations", 3000}, {"batch_operations", kBatch}}},
                   {"turns", turns}};
        if (!run.contains("law")) whole["run"].update(kZipf);
        whole["run"].update(run);
        return whole;
    }

    Measured measure(const Json& whole, const std::string& lines) {
        std::istringstream input(whole.dump() + "\n" + lines);
        Request asked = read_request(input);
        std::ostringstream output;
        Measured found = measure_gets(asked, input, output);
        answered_.clear();
        std::istringstream said(output.str());
        for (std::string line; std::getline(said, line);) answered_.push_back(Json::parse(line));
        return found;
    }

    std::string folder_;
    std::vector<Json> answered_;
};

TEST_F(InTurns, AskTogetherForWhatOneRunAsksFor) {
    for (const Json& law :
         {Json{{"law", "zipf"}, {"exponent", 0.9}, {"warm_operations", 500}},
          Json{{"law", "stride"}, {"stride", 20}}, Json{{"law", "uniform"}, {"warm_operations", 100}}}) {
        const Measured once = measure(request(law, false), "");
        EXPECT_TRUE(answered_.empty());
        EXPECT_TRUE(once.turns.is_null());
        EXPECT_EQ(once.counters["run"]["operations"], 3000u);
        EXPECT_EQ(once.counters["run"]["asked"], 3000u);
        const std::string some = turn(kLong + std::string(R"(, "operations": 700)"));
        const std::string rest = turn(kLong + std::string(R"(, "operations": 1600, "discard_ns": 1)"));
        const Measured parts = measure(request(law), some + rest + some);
        // The cache holds 40 rows and hits when a key comes again soon: other keys, or the same in another
        // order, hit otherwise. The stride visits 45 rows in turn and never hits, unless it begins again with
        // a turn.
        EXPECT_EQ(parts.counters["run"]["row_cache_hits"], once.counters["run"]["row_cache_hits"]);
        EXPECT_EQ(parts.counters["warm"]["row_cache_hits"], once.counters["warm"]["row_cache_hits"]);
        EXPECT_LE(once.counters["warm"]["row_cache_hits"], once.counters["run"]["row_cache_hits"]);
        EXPECT_EQ(parts.checked_reads, once.checked_reads);
        EXPECT_EQ(parts.counters["run"]["checked_reads"], 3000u);
        EXPECT_EQ(parts.counters["run"]["asked"], 3000u);
        EXPECT_EQ(parts.counters["run"]["operations"], 3000 - kBatch);
    }
}

TEST_F(InTurns, EndWithTheBatchInWhichTheirTimeIsOver) {
    const Measured found = measure(request(), turn(R"("for_ns": 1)") + turn(R"("for_ns": 1)"));
    ASSERT_EQ(answered_.size(), 3u);
    EXPECT_EQ(answered_[0], (Json{{"protocol", kProtocol}, {"ready", true}}));
    EXPECT_EQ(answered_[1]["turn"]["all_operations"], kBatch);
    EXPECT_EQ(found.turns, (Json{answered_[1]["turn"], answered_[2]["turn"]}));
    EXPECT_EQ(found.series[0].values.size(), 2u);
    EXPECT_EQ(found.counters["run"]["measured_ns"], sum(found.series[0]));
}

TEST_F(InTurns, KeepNothingOfWhatIsDiscarded) {
    for (const char* timing : {"batches", "queries", "parts"}) {
        const std::string limit = kLong + std::string(R"(, "operations": 640)");
        const Measured found =
            measure(request({{"timing", timing}}),
                    turn(limit + R"(, "discard_ns": 1)") + turn(limit + R"(, "discard_ns": 1000000000000)"));
        const Json& first = found.turns[0];
        EXPECT_EQ(first["operations"], 640 - kBatch);
        EXPECT_EQ(first["all_operations"], 640u);
        EXPECT_LT(first["measured_ns"], first["all_ns"]);
        EXPECT_EQ(first["samples"], std::string(timing) == "batches" ? 9u : 640 - kBatch);
        const Json& second = found.turns[1];
        EXPECT_EQ(second["all_operations"], 640u);
        EXPECT_GT(second["all_ns"], 0u);
        for (const char* none : {"operations", "samples", "measured_ns"}) EXPECT_EQ(second[none], 0u);
        for (const Series& each : found.series) EXPECT_EQ(each.values.size(), first["samples"]);
        EXPECT_EQ(first["measured_ns"], sum(found.series[0]));
        EXPECT_EQ(found.counters["run"]["measured_ns"], sum(found.series[0]));
        EXPECT_EQ(found.checked_reads, 1280u);
        EXPECT_EQ(first.contains("index_ns"), std::string(timing) == "parts");
        if (first.contains("index_ns")) {
            EXPECT_EQ(first["index_ns"], sum(found.series[1]));
            EXPECT_EQ(first["engine_ns"], sum(found.series[2]));
        }
    }
}

TEST_F(InTurns, GiveNoSampleForAShorterBatch) {
    const Measured found = measure(request(), turn(kLong + std::string(R"(, "operations": 100)")));
    EXPECT_EQ(found.turns[0]["operations"], 100u);
    EXPECT_EQ(found.turns[0]["samples"], 1u);
    EXPECT_GT(found.turns[0]["measured_ns"], sum(found.series[0]));
}

TEST_F(InTurns, ScanToo) {
    Json whole = request({{"scan_rows", 5}});
    whole["options"] = {{"engine", "lmdb"}};
    const Measured found = measure(whole, turn(kLong + std::string(R"(, "operations": 128)")));
    EXPECT_EQ(found.turns[0]["samples"], 2u);
    EXPECT_EQ(found.checked_reads, 128u);
}

TEST_F(InTurns, EndWhenToldToAndWithTheInput) {
    EXPECT_EQ(measure(request(), "").turns, Json::array());
    EXPECT_EQ(measure(request(), turn(kLong + std::string(R"(, "operations": 1)"))).turns.size(), 1u);
    EXPECT_EQ(measure(request(), "{\"end\": true}\nnothing that is read").turns, Json::array());
}

TEST_F(InTurns, RefuseWhatIsNoTurn) {
    for (const std::string& line :
         {std::string("go"), std::string("[]"), std::string(""), std::string("{}"),
          std::string(R"({"turn": 5})"), std::string(R"({"end": false})"), std::string(R"({"end": 1})"),
          std::string(R"({"end": true, "turn": {"for_ns": 5}})"),
          std::string(R"({"turn": {"for_ns": 5}, "then": 1})"), turn(""), turn(R"("for_ns": 0)"),
          turn(R"("for_ns": -1)"), turn(R"("for_ns": 5.0)"), turn(R"("for_ns": true)"),
          turn(R"("for_ns": 5, "discard": 1)"), turn(R"("for_ns": 5, "operations": "all")")}) {
        SCOPED_TRACE(line);
        EXPECT_THROW(measure(request(), line + "\n"), Refused);
    }
}

TEST_F(InTurns, AreAskedForOnOneLineAndInGetsOnly) {
    std::istringstream lines(request(kZipf, false).dump(2));
    EXPECT_FALSE(read_request(lines).turns);
    std::istringstream broken(request().dump(2));
    EXPECT_THROW(read_request(broken), Refused);
    std::istringstream followed(request(kZipf, false).dump() + "\n" + turn(R"("for_ns": 5)"));
    EXPECT_THROW(read_request(followed), Refused);
    Json crash = request();
    crash["workload"] = "crash";
    std::istringstream killed(crash.dump());
    EXPECT_THROW(read_request(killed), Refused);
    Json word = request();
    word["turns"] = "yes";
    std::istringstream worded(word.dump());
    EXPECT_THROW(read_request(worded), Refused);
}

TEST_F(InTurns, BeginWhenTheEngineRests) {
    Json whole = request({{"operations", 1}});
    whole["options"] = {{"engine", "rocksdb"}, {"write_buffer_bytes", 65536}, {"target_file_bytes", 65536}};
    whole["load"]["rows"] = 30'000;
    whole["load"]["batch_rows"] = 500;
    const Json engine = measure(whole, "").counters["load"]["engine"];
    EXPECT_EQ(engine["rocksdb.num-running-compactions"], 0u);
    EXPECT_EQ(engine["rocksdb.num-running-flushes"], 0u);
    EXPECT_EQ(engine["rocksdb.num-immutable-mem-table"], 0u);
}

}  // namespace
}  // namespace kv
