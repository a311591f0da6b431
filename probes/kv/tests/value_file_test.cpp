// The value file after damage: a torn end is cut, damage before a commit is named, nothing is skipped
// silently.
#include "engines/value_file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "engines/checksum.hpp"
#include "engines/store.hpp"
#include "probe/data.hpp"

namespace kv {
namespace {

constexpr std::uint64_t kMapBytes = std::uint64_t{1} << 30;

struct Record {
    std::uint64_t key, offset;
};

class ValueFileTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "kv-test-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        path_ = folder_ + "/values";
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::vector<Record> open_and_read(ValueFile::Recovery* recovery = nullptr) {
        std::vector<Record> seen;
        const ValueFile file(path_, kMapBytes, [&](std::uint64_t key, std::uint64_t at) {
            seen.push_back({key, at});
        });
        for (const Record& each : seen) EXPECT_EQ(file.read(each.offset, each.key, true), value_of(each.key));
        if (recovery != nullptr) *recovery = file.recovery();
        return seen;
    }

    static std::string value_of(std::uint64_t key) {
        return std::string(key % 90, 'v') + std::to_string(key);
    }

    void write(std::uint64_t first, std::uint64_t end, bool commit) {
        ValueFile file(path_, kMapBytes, [](std::uint64_t, std::uint64_t) {});
        for (std::uint64_t key = first; key < end; ++key) file.append(key, value_of(key));
        if (commit) file.commit(false);
    }

    std::string content() const {
        std::ifstream in(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void set_content(const std::string& bytes) const {
        std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    }

    std::string folder_, path_;
};

TEST_F(ValueFileTest, ComesBackAsItWas) {
    EXPECT_TRUE(open_and_read().empty());
    write(0, 500, true);
    write(500, 700, true);
    ValueFile::Recovery recovery;
    const auto seen = open_and_read(&recovery);
    ASSERT_EQ(seen.size(), 700u);
    for (std::uint64_t i = 0; i < 700; ++i) EXPECT_EQ(seen[i].key, i);
    EXPECT_EQ(recovery.committed, 700u);
    EXPECT_EQ(recovery.cut_bytes, 0u);
}

TEST_F(ValueFileTest, LosesNothingCommittedWhereverItIsTorn) {
    write(0, 20, true);
    const std::size_t committed = content().size();
    write(20, 30, true);
    const std::string whole = content();
    for (std::size_t length = committed; length < whole.size(); ++length) {
        set_content(whole.substr(0, length));
        ValueFile::Recovery recovery;
        const auto seen = open_and_read(&recovery);
        ASSERT_GE(seen.size(), 20u);
        ASSERT_LE(seen.size(), 30u);
        ASSERT_EQ(recovery.committed, 20u);
        ASSERT_EQ(content().size() + recovery.cut_bytes, length);
        for (std::uint64_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i].key, i);
        write(seen.size(), 40, true);
        ASSERT_EQ(open_and_read().size(), 40u) << "what was recovered can be written on";
    }
}

TEST_F(ValueFileTest, NamesTheDamagedRecord) {
    write(0, 50, true);
    const std::string whole = content();
    std::mt19937_64 random(8);
    for (int i = 0; i < 300; ++i) {
        std::string damaged = whole;
        // Not in the last 16 bytes, the commit mark: without it nothing was committed.
        const std::size_t at = 16 + random() % (whole.size() - 32);
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
        set_content(damaged);
        try {
            const auto seen = open_and_read();
            // The padding behind a value belongs to no checksum and carries nothing.
            EXPECT_EQ(seen.size(), 50u);
        } catch (const Failed& failure) {
            EXPECT_NE(std::string(failure.what()).find("record"), std::string::npos);
        }
        EXPECT_EQ(content(), damaged) << "a damaged file is not changed";
    }
}

TEST_F(ValueFileTest, RefusesToReadADamagedRecord) {
    write(0, 3, true);
    const auto seen = open_and_read();
    ValueFile file(path_, kMapBytes, [](std::uint64_t, std::uint64_t) {});
    EXPECT_THROW(file.read(seen[1].offset, 2, false), Failed) << "not the record of that key";
    EXPECT_THROW(file.read(kMapBytes - 8, 2, false), Failed);
    EXPECT_THROW(file.read_any(kMapBytes - 8, false), Failed);
    EXPECT_EQ(file.read_any(seen[1].offset, true), value_of(1));
    std::string bytes = content();
    bytes[seen[1].offset + 16] = '?';
    std::fstream(path_, std::ios::binary | std::ios::in | std::ios::out).write(bytes.data(), bytes.size());
    EXPECT_THROW(file.read(seen[1].offset, 1, true), Failed);
    EXPECT_THROW(file.read_any(seen[1].offset, true), Failed) << "nor does a scan";
}

TEST_F(ValueFileTest, RefusesAnotherFile) {
    set_content("this is a text of some length, and no value file");
    EXPECT_THROW(open_and_read(), Failed);
    EXPECT_EQ(content(), "this is a text of some length, and no value file");
}

TEST_F(ValueFileTest, SurvivesKillsAtAnyMoment) {
    std::mt19937_64 random(21);
    std::uint64_t known = 0;  // records that were acknowledged so far
    for (int round = 0; round < 50; ++round) {
        int told[2];
        ASSERT_EQ(pipe(told), 0);
        const pid_t writer = fork();
        if (writer == 0) {
            close(told[0]);
            std::uint64_t next = 0;
            ValueFile file(path_, kMapBytes, [&](std::uint64_t, std::uint64_t) { ++next; });
            for (;;) {
                for (int i = 0; i < 50; ++i, ++next) file.append(next, value_of(next));
                file.commit(false);
                if (::write(told[1], &next, sizeof next) != sizeof next) _exit(0);
            }
        }
        close(told[1]);
        std::uint64_t acknowledged = 0;
        ASSERT_EQ(::read(told[0], &acknowledged, sizeof acknowledged),
                  static_cast<ssize_t>(sizeof acknowledged));
        usleep(static_cast<useconds_t>(random() % 3000));
        kill(writer, SIGKILL);
        waitpid(writer, nullptr, 0);
        std::uint64_t later = 0;
        while (::read(told[0], &later, sizeof later) == sizeof later) acknowledged = later;
        close(told[0]);
        known = std::max(known, acknowledged);
        ValueFile::Recovery recovery;
        const auto seen = open_and_read(&recovery);
        ASSERT_GE(seen.size(), known) << "an acknowledged record is missing";
        for (std::uint64_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i].key, i);
    }
}

TEST_F(ValueFileTest, TheEngineHoldsEveryDurableRowAfterKillsInTheMiddleOfWriting) {
    // The whole engine, index and all: rows are acknowledged when write() has returned, that is after
    // fdatasync.
    std::mt19937_64 random(34);
    std::uint64_t known = 0;
    std::uint64_t not_acknowledged = 0;
    for (int round = 0; round < 50; ++round) {
        int told[2];
        ASSERT_EQ(pipe(told), 0);
        const pid_t writer = fork();
        if (writer == 0) {
            close(told[0]);
            try {
                Json options{{"sync", true}, {"map_bytes", kMapBytes}};
                const auto store = open_value_file(folder_, options);
                std::uint64_t next = store->counters()["recovered_records"];
                for (;;) {
                    std::vector<std::string> values;
                    std::vector<Row> rows;
                    const std::uint64_t count = 1 + next % 400;
                    for (std::uint64_t i = 0; i < count; ++i) values.push_back(value_of(next + i));
                    for (std::uint64_t i = 0; i < count; ++i) rows.push_back({scatter(next + i), values[i]});
                    store->write(rows);
                    next += count;
                    if (::write(told[1], &next, sizeof next) != sizeof next) _exit(0);
                }
            } catch (const std::exception&) {
                _exit(1);
            }
        }
        close(told[1]);
        std::uint64_t acknowledged = 0;
        ASSERT_EQ(::read(told[0], &acknowledged, sizeof acknowledged),
                  static_cast<ssize_t>(sizeof acknowledged));
        usleep(static_cast<useconds_t>(random() % 4000));
        kill(writer, SIGKILL);
        int ended = 0;
        waitpid(writer, &ended, 0);
        ASSERT_TRUE(WIFSIGNALED(ended)) << "it was writing when it was killed";
        std::uint64_t later = 0;
        while (::read(told[0], &later, sizeof later) == sizeof later) acknowledged = later;
        close(told[0]);
        ASSERT_GE(acknowledged, known);
        known = acknowledged;
        Json options{{"sync", true}, {"map_bytes", kMapBytes}};
        const auto store = open_value_file(folder_, options);
        const std::uint64_t held = store->counters()["recovered_records"];
        ASSERT_GE(held, known) << "an acknowledged row is missing";
        not_acknowledged += held - known;
        std::string value;
        for (std::uint64_t i = 0; i < held; ++i) {
            ASSERT_TRUE(store->get(scatter(i), value)) << "row " << i << " of " << held;
            ASSERT_EQ(value, value_of(i));
        }
        ASSERT_FALSE(store->get(scatter(held), value)) << "nothing that was not written";
        known = held;  // written on from here: what survived the kill must survive the next one too
    }
    RecordProperty("rows", std::to_string(known));
    RecordProperty("rows_written_but_not_acknowledged", std::to_string(not_acknowledged));
}

TEST(Checksum, IsCastagnolis) {
    EXPECT_EQ(crc32c("123456789", 9), 0xE3069283u);
    std::mt19937_64 random(6);
    std::string bytes;
    for (int length = 0; length < 100; ++length) {
        EXPECT_EQ(crc32c(bytes.data(), bytes.size()), crc32c_portable(bytes.data(), bytes.size()));
        bytes += static_cast<char>(random());
    }
}

}  // namespace
}  // namespace kv
