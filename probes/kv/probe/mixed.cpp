#include "probe/mixed.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "probe/clock.hpp"
#include "probe/machine.hpp"
#include "probe/reader.hpp"
#include "probe/trial.hpp"

namespace kv {
namespace {

enum Kind : std::uint8_t { kRead, kUpdate, kInsert, kModify, kScan };

/// row: the one that is asked for, or that is new. rows: of a scan.
struct Operation {
    Kind kind;
    std::uint64_t row, rows;
};

class Mixed : private Trial {
  public:
    explicit Mixed(Request& request)
        : Trial(request),
          reader_(index_.get(), store_.get(), request.row_cache_entries),
          draws_(request.pattern, data_.rows, random_),
          ranks_(data_.rows, request.pattern.law == "zipf" ? request.pattern.exponent : 1.0),
          written_(data_.rows) {}

    Measured measure() {
        note("open");
        load();
        note("load");
        const auto warming = drawn({100, 0, 0, 0, 0}, request_.warm_operations);
        const Mix& mix = request_.mix;
        const auto operations =
            drawn({mix.read, mix.update, mix.insert, mix.modify, mix.scan}, request_.operations);
        versions_.resize(written_);
        found_.seconds["warm"] = seconds_of([&] { all(warming); });
        write_out();
        note("warm");
        const std::uint64_t warm_hits = reader_.cache_hits();
        for (Series& each : series_) each.values.clear();
        found_.seconds["run"] = seconds_of([&] { all(operations); });
        note("run");
        Json& run = found_.counters["run"];
        std::uint64_t total = 0;
        for (const Series& each : series_)
            for (const std::uint64_t took : each.values) total += took;
        run["measured_ns"] = total;
        run["operations"] = operations.size();
        run["row_cache_hits"] = reader_.cache_hits() - warm_hits;
        // What is still in memory belongs to what was written.
        found_.seconds["flush"] = seconds_of([&] { store_->settle("flush"); });
        note("flushed");
        read_all_written();
        found_.checked_reads = checked_;
        for (Series& each : series_)
            if (!each.values.empty()) found_.series.push_back(std::move(each));
        describe();
        return std::move(found_);
    }

  private:
    /// Nothing that the load left waits any more: else what overwrites it would count for nothing.
    void write_out() {
        const int folder = open(request_.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder < 0 || syncfs(folder) != 0) throw Failed("the store cannot be written out");
        close(folder);
    }

    /// shares: of a hundred, in the order of the kinds. Rows that these operations insert exist for those
    /// behind them.
    std::vector<Operation> drawn(const std::array<std::uint64_t, 5>& shares, std::uint64_t count) {
        std::uniform_int_distribution<std::uint64_t> hundred(0, 99),
            length(1, std::max<std::uint64_t>(1, request_.mix.scan_rows));
        std::vector<Operation> all;
        all.reserve(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            std::uint64_t share = hundred(random_);
            std::uint8_t kind = 0;
            for (; share >= shares[kind]; ++kind) share -= shares[kind];
            Operation next{static_cast<Kind>(kind), 0, 0};
            if (next.kind == kInsert) {
                next.row = written_++;
            } else {
                next.row = popular();
            }
            if (next.kind == kScan) next.rows = length(random_);
            all.push_back(next);
        }
        return all;
    }

    std::uint64_t popular() {
        if (request_.mix.latest) return written_ - std::min(ranks_(random_), written_);
        std::uint64_t row = 0;
        draws_.next({&row, 1});
        return row;
    }

    void all(const std::vector<Operation>& operations) {
        for (const Operation& each : operations) {
            std::vector<std::uint64_t>& took = series_[each.kind].values;
            switch (each.kind) {
                case kRead:
                    took.push_back(read(each.row));
                    break;
                case kUpdate:
                    took.push_back(write(each.row, false));
                    break;
                case kInsert:
                    took.push_back(write(each.row, true));
                    break;
                case kModify: {  // both are one operation to its caller
                    const std::uint64_t reading = read(each.row);
                    took.push_back(reading + write(each.row, false));
                    break;
                }
                case kScan:
                    took.push_back(scan(each));
                    break;
            }
        }
    }

    std::uint64_t read(std::uint64_t row) {
        const std::uint64_t key = data_.key(row);
        const std::uint64_t begun = now_ns();
        reader_.query(key, answer_);
        const std::uint64_t took = now_ns() - begun;
        data_.value(key, expected_, versions_[row]);
        if (!answer_.found || answer_.value != expected_)
            throw Failed((answer_.found ? "an old or wrong value for key " : "no value for key ") +
                         std::to_string(key));
        ++checked_;
        return took;
    }

    std::uint64_t write(std::uint64_t row, bool is_new) {
        const std::uint64_t key = data_.key(row);
        if (!is_new) ++versions_[row];
        data_.value(key, value_, versions_[row]);
        const Row one{key, value_};
        const std::uint64_t begun = now_ns();
        store_->write({&one, 1});
        if (is_new && index_) index_->put(key, marker(key));
        if (!is_new) reader_.wrote(key, value_);
        return now_ns() - begun;
    }

    std::uint64_t scan(const Operation& asked) {
        const std::uint64_t key = data_.key(asked.row);
        std::uint64_t bytes = 0;
        const std::uint64_t begun = now_ns();
        const std::size_t rows = store_->scan(key, asked.rows, bytes);
        const std::uint64_t took = now_ns() - begun;
        if (rows < 1 || rows > asked.rows || (data_.value_bytes > 0 && bytes != rows * data_.value_bytes)) {
            throw Failed("a scan from key " + std::to_string(key) + " read " + std::to_string(rows) +
                         " rows of " + std::to_string(bytes) + " bytes");
        }
        ++checked_;
        return took;
    }

    /// Past index and cache: the engine itself must hold what was written last.
    void read_all_written() {
        std::string value;
        for (std::uint64_t row = 0; row < written_; ++row) {
            if (row < data_.rows && versions_[row] == 0) continue;
            const std::uint64_t key = data_.key(row);
            data_.value(key, expected_, versions_[row]);
            if (!store_->get(key, value) || value != expected_)
                throw Failed("the row of key " + std::to_string(key) + " is not as it was written last");
            ++checked_;
        }
    }

    Reader reader_;
    Draws draws_;
    Zipf ranks_;
    std::uint64_t written_;                  // rows, those included that drawn operations insert
    std::vector<std::uint32_t> versions_{};  // how often each row was overwritten
    std::array<Series, 5> series_{Series{"read.service", {}}, Series{"update.service", {}},
                                  Series{"insert.service", {}}, Series{"modify.service", {}},
                                  Series{"scan.service", {}}};
    Answer answer_;
    std::string value_, expected_;
    std::uint64_t checked_ = 0;
};

}  // namespace

Measured measure_mixed(Request& request) {
    refuse_beyond_memory(request);
    return Mixed(request).measure();
}

}  // namespace kv
