#include "probe/gets.hpp"

#include <algorithm>
#include <numeric>

#include "probe/clock.hpp"
#include "probe/machine.hpp"
#include "probe/reader.hpp"
#include "probe/syncs.hpp"
#include "probe/writing.hpp"

namespace kv {
namespace {

class Gets {
  public:
    explicit Gets(Request& request)
        : request_(request),
          data_(request.data),
          random_(request.seed),
          store_(open_store(request)),
          index_(request.index == "none" ? nullptr : make_index(request.index)) {}

    Measured measure() {
        note("open");
        load();
        // Drawn before the first timed operation; warm and measured draws differ but for fixed strides.
        const auto warm = keys_of(request_.warm_pattern, request_.warm_operations);
        const auto keys = keys_of(request_.pattern, request_.operations);
        const bool with_index = request_.without != "index" && request_.without != "both";
        const bool with_engine = request_.without != "engine" && request_.without != "both";
        Reader reader(with_index ? index_.get() : nullptr, with_engine ? store_.get() : nullptr,
                      request_.row_cache_entries);
        if (store_) store_->begin_reads();
        note("load");
        found_.seconds["warm"] = seconds_of([&] { run(reader, warm, "batches", nullptr); });
        const std::uint64_t checked = found_.checked_reads;
        note("warm");
        found_.seconds["run"] = seconds_of([&] { run(reader, keys, request_.timing, &found_.series); });
        note("run");
        found_.counters["run"]["checked_reads"] = found_.checked_reads - checked;
        found_.counters["run"]["row_cache_hits"] = reader.cache_hits();
        if (store_) store_->end_reads();
        describe();
        return std::move(found_);
    }

  private:
    void load() {
        if (store_) {
            double writing = 0;
            std::uint64_t batches = 0;
            const std::uint64_t size = request_.batch_rows == 0 ? data_.rows : request_.batch_rows;
            for (std::uint64_t first = 0; first < data_.rows; first += size, ++batches) {
                const Batch batch(data_, first, std::min(first + size, data_.rows));
                writing += seconds_of([&] { store_->write(batch.rows()); });
            }
            found_.seconds["load_engine"] = writing;
            found_.counters["load"]["batches"] = batches;
            found_.seconds["settle"] = seconds_of([&] { store_->settle(request_.settle); });
            if (request_.reopen) reopen();
        }
        if (!index_) return;
        if (request_.index_load == "single") {
            found_.seconds["load_index"] = seconds_of([&] {
                for (std::uint64_t row = 0; row < data_.rows; ++row)
                    index_->put(data_.key(row), marker(data_.key(row)));
            });
            return;
        }
        std::vector<alex::Entry> entries;
        entries.reserve(data_.rows);
        for (std::uint64_t row = 0; row < data_.rows; ++row)
            entries.push_back({data_.key(row), marker(data_.key(row))});
        std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
        found_.seconds["load_index"] = seconds_of([&] { index_->load(entries); });
    }

    /// What a restarted process waits for; the files are in the page cache, where they have just been
    /// written.
    void reopen() {
        note("written");
        store_.reset();
        found_.seconds["reopen"] = seconds_of([&] { store_ = open_store(request_); });
    }

    std::vector<std::uint64_t> keys_of(const Pattern& pattern, std::uint64_t operations) {
        auto keys = draw(pattern, data_.rows, operations, random_);
        for (std::uint64_t& each : keys) each = request_.absent ? data_.absent_key(each) : data_.key(each);
        return keys;
    }

    /// Answers are kept for one batch and checked when the clock does not run.
    void run(Reader& reader, const std::vector<std::uint64_t>& keys, const std::string& timing,
             std::vector<Series>* into) {
        const std::size_t batch = request_.batch_operations;
        std::vector<Answer> answers(batch);
        Series whole{timing == "batches" ? "batch.service" : "query.service", {}};
        Series index{"index.service", {}};
        Series engine{"engine.service", {}};
        for (std::size_t start = 0; start < keys.size(); start += batch) {
            const std::size_t count = std::min(batch, keys.size() - start);
            const std::uint64_t* some = keys.data() + start;
            if (request_.scan_rows > 0) {
                scans(some, count, timing, whole);
                continue;
            }
            if (timing == "batches") {
                const std::uint64_t begun = now_ns();
                if (request_.dependent) {
                    dependent(reader, some, count, answers);
                } else {
                    for (std::size_t i = 0; i < count; ++i) reader.query(some[i], answers[i]);
                }
                const std::uint64_t took = now_ns() - begun;
                measured_ns_ += took;
                // A last, shorter batch would be no sample of the same kind.
                if (count == batch) whole.values.push_back(took);
            } else if (timing == "queries") {
                for (std::size_t i = 0; i < count; ++i) {
                    const std::uint64_t begun = now_ns();
                    reader.query(some[i], answers[i]);
                    whole.values.push_back(now_ns() - begun);
                }
            } else {
                for (std::size_t i = 0; i < count; ++i) {
                    const Parts parts = reader.timed_query(some[i], answers[i]);
                    whole.values.push_back(parts.query_ns);
                    index.values.push_back(parts.index_ns);
                    engine.values.push_back(parts.engine_ns);
                }
            }
            check(some, count, answers);
        }
        if (into == nullptr) {
            measured_ns_ = 0;
            return;
        }
        if (timing != "batches") {
            measured_ns_ = std::accumulate(whole.values.begin(), whole.values.end(), std::uint64_t{0});
        }
        into->push_back(std::move(whole));
        if (timing == "parts") {
            into->push_back(std::move(index));
            into->push_back(std::move(engine));
        }
    }

    /// The next key cannot be known before the last answer: it is combined with nothing, but out of that
    /// answer.
    static void dependent(Reader& reader, const std::uint64_t* keys, std::size_t count,
                          std::vector<Answer>& answers) {
        std::uint64_t nothing = 0;
        for (std::size_t i = 0; i < count; ++i) {
            reader.query(keys[i] + nothing, answers[i]);
            const Answer& last = answers[i];
            nothing = last.from_engine && !last.value.empty() ? static_cast<unsigned char>(last.value[0])
                                                              : last.marker;
            // The compiler must not see that this gives 0, and the processor does not.
#if defined(__x86_64__)
            asm volatile("and $0, %0" : "+r"(nothing) : : "cc");
#else
            asm volatile("" : "+r"(nothing));
            nothing = nothing * 0;
#endif
        }
    }

    void check(const std::uint64_t* keys, std::size_t count, const std::vector<Answer>& answers) {
        const bool engine = store_ && request_.without != "engine" && request_.without != "both";
        const bool index = index_ && request_.without != "index" && request_.without != "both";
        if (!engine && !index) return;
        std::string expected;
        for (std::size_t i = 0; i < count; ++i) {
            const Answer& answer = answers[i];
            const auto complain = [&](const char* what) {
                throw Failed(std::string(what) + " for key " + std::to_string(keys[i]));
            };
            if (answer.found == request_.absent)
                complain(request_.absent ? "an absent key was found" : "no value");
            if (!request_.absent) {
                if (answer.from_engine) {
                    data_.value(keys[i], expected);
                    if (answer.value != expected) complain("a wrong value");
                } else if (answer.marker != marker(keys[i])) {
                    complain("a wrong index entry");
                }
            }
            ++found_.checked_reads;
        }
    }

    void scans(const std::uint64_t* keys, std::size_t count, const std::string& timing, Series& whole) {
        const std::uint64_t batch_begun = now_ns();
        for (std::size_t i = 0; i < count; ++i) {
            std::uint64_t bytes = 0;
            const std::uint64_t begun = now_ns();
            const std::size_t rows = store_->scan(keys[i], request_.scan_rows, bytes);
            if (timing == "queries") whole.values.push_back(now_ns() - begun);
            const bool counted = data_.random_keys
                                     ? rows >= 1 && rows <= request_.scan_rows
                                     : rows == std::min(request_.scan_rows, data_.rows - keys[i]);
            if (!counted || (data_.value_bytes > 0 && bytes != rows * data_.value_bytes)) {
                throw Failed("a scan from key " + std::to_string(keys[i]) + " read " + std::to_string(rows) +
                             " rows of " + std::to_string(bytes) + " bytes");
            }
            ++found_.checked_reads;
        }
        const std::uint64_t took = now_ns() - batch_begun;
        if (timing == "batches") {
            measured_ns_ += took;
            if (count == request_.batch_operations) whole.values.push_back(took);
        }
    }

    void note(const char* phase) {
        Json& now = found_.counters[phase];
        if (store_) now["engine"] = store_->counters();
        if (index_) {
            const auto bytes = index_->bytes();
            now["index"] = {{"bytes", bytes ? Json(*bytes) : Json(nullptr)}, {"shape", index_->shape()}};
        }
        const Syncs syncs = syncs_so_far();
        now["syncs"] = {{"fsync", syncs.fsync},
                        {"fdatasync", syncs.fdatasync},
                        {"msync", syncs.msync},
                        {"sync_file_range", syncs.sync_file_range}};
        now["memory"] = memory_now();
        now["measured_ns"] = measured_ns_;
    }

    void describe() {
        found_.settings = {{"engine", request_.engine},
                           {"index", request_.index},
                           {"index_load", request_.index_load},
                           {"row_cache_entries", request_.row_cache_entries},
                           {"engine_options", store_ ? store_->settings() : Json::object()}};
        found_.engine_version = store_ ? store_->version() : "1";
    }

    Request& request_;
    const Data& data_;
    std::mt19937_64 random_;
    std::unique_ptr<Store> store_;
    std::unique_ptr<Index> index_;
    Measured found_;
    std::uint64_t measured_ns_ = 0;
};

}  // namespace

Measured measure_gets(Request& request) {
    refuse_beyond_memory(request);
    return Gets(request).measure();
}

}  // namespace kv
