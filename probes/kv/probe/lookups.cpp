#include "probe/lookups.hpp"

#include <algorithm>

#include "probe/clock.hpp"

namespace kv {

Tally& Tally::operator+=(const Tally& more) {
    operations += more.operations;
    measured_ns += more.measured_ns;
    index_ns += more.index_ns;
    engine_ns += more.engine_ns;
    samples += more.samples;
    return *this;
}

void Keys::next(std::span<std::uint64_t> into) {
    draws_.next(into);
    for (std::uint64_t& each : into) each = absent_ ? data_.absent_key(each) : data_.key(each);
}

std::vector<std::uint64_t> Keys::next(std::uint64_t count) {
    std::vector<std::uint64_t> keys(count);
    next(std::span(keys));
    return keys;
}

Lookups::Lookups(const Request& request, const std::string& timing, Reader& reader, Store* store)
    : request_(request), timing_(timing), reader_(reader), store_(store), answers_(request.batch_operations) {
    series_.push_back({timing == "batches" ? "batch.service" : "query.service", {}});
    if (timing != "parts") return;
    series_.push_back({"index.service", {}});
    series_.push_back({"engine.service", {}});
}

void Lookups::expect(std::uint64_t operations) {
    for (Series& each : series_) each.values.reserve(samples_of(request_, operations));
}

Tally Lookups::batch(std::span<const std::uint64_t> keys, bool keep) {
    const std::size_t before = series_.front().values.size();
    Tally tally = request_.scan_rows > 0 ? scan(keys)
                  : timing_ == "batches" ? time_batch(keys)
                  : timing_ == "queries" ? time_each(keys)
                                         : time_parts(keys);
    if (!keep) {
        for (Series& each : series_) each.values.resize(before);
    }
    tally.operations = keys.size();
    tally.samples = series_.front().values.size() - before;
    return tally;
}

Tally Lookups::all(std::span<const std::uint64_t> keys) {
    Tally sum;
    for (std::size_t start = 0; start < keys.size(); start += answers_.size()) {
        sum += batch(keys.subspan(start, std::min(answers_.size(), keys.size() - start)), true);
    }
    return sum;
}

Tally Lookups::time_batch(std::span<const std::uint64_t> keys) {
    const std::uint64_t begun = now_ns();
    if (request_.dependent) {
        dependent(keys);
    } else {
        for (std::size_t i = 0; i < keys.size(); ++i) reader_.query(keys[i], answers_[i]);
    }
    Tally tally;
    tally.measured_ns = now_ns() - begun;
    // A last, shorter batch would be no sample of the same kind.
    if (keys.size() == answers_.size()) series_.front().values.push_back(tally.measured_ns);
    check(keys);
    return tally;
}

Tally Lookups::time_each(std::span<const std::uint64_t> keys) {
    Tally tally;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::uint64_t begun = now_ns();
        reader_.query(keys[i], answers_[i]);
        const std::uint64_t took = now_ns() - begun;
        series_.front().values.push_back(took);
        tally.measured_ns += took;
    }
    check(keys);
    return tally;
}

Tally Lookups::time_parts(std::span<const std::uint64_t> keys) {
    Tally tally;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Parts parts = reader_.timed_query(keys[i], answers_[i]);
        series_[0].values.push_back(parts.query_ns);
        series_[1].values.push_back(parts.index_ns);
        series_[2].values.push_back(parts.engine_ns);
        tally.measured_ns += parts.query_ns;
        tally.index_ns += parts.index_ns;
        tally.engine_ns += parts.engine_ns;
    }
    check(keys);
    return tally;
}

/// The next key cannot be known before the last answer: it is combined with nothing, but out of that answer.
void Lookups::dependent(std::span<const std::uint64_t> keys) {
    std::uint64_t nothing = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        reader_.query(keys[i] + nothing, answers_[i]);
        const Answer& last = answers_[i];
        nothing =
            last.from_engine && !last.value.empty() ? static_cast<unsigned char>(last.value[0]) : last.marker;
        // The compiler must not see that this gives 0, and the processor does not.
#if defined(__x86_64__)
        asm volatile("and $0, %0" : "+r"(nothing) : : "cc");
#else
        asm volatile("" : "+r"(nothing));
        nothing = nothing * 0;
#endif
    }
}

void Lookups::check(std::span<const std::uint64_t> keys) {
    const std::string& without = request_.without;
    const bool engine = request_.engine != "none" && without != "engine" && without != "both";
    const bool index = request_.index != "none" && without != "index" && without != "both";
    if (!engine && !index) return;
    std::string expected;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Answer& answer = answers_[i];
        const auto complain = [&](const char* what) {
            throw Failed(std::string(what) + " for key " + std::to_string(keys[i]));
        };
        if (answer.found == request_.absent)
            complain(request_.absent ? "an absent key was found" : "no value");
        if (!request_.absent) {
            if (answer.from_engine) {
                request_.data.value(keys[i], expected);
                if (answer.value != expected) complain("a wrong value");
            } else if (answer.marker != marker(keys[i])) {
                complain("a wrong index entry");
            }
        }
        ++checked_;
    }
}

Tally Lookups::scan(std::span<const std::uint64_t> keys) {
    const Data& data = request_.data;
    std::vector<std::uint64_t>& samples = series_.front().values;
    Tally tally;
    const std::uint64_t batch_begun = now_ns();
    for (const std::uint64_t key : keys) {
        std::uint64_t bytes = 0;
        const std::uint64_t begun = now_ns();
        const std::size_t rows = store_->scan(key, request_.scan_rows, bytes);
        if (timing_ == "queries") {
            samples.push_back(now_ns() - begun);
            tally.measured_ns += samples.back();
        }
        const bool counted = data.random_keys ? rows >= 1 && rows <= request_.scan_rows
                                              : rows == std::min(request_.scan_rows, data.rows - key);
        if (!counted || (data.value_bytes > 0 && bytes != rows * data.value_bytes)) {
            throw Failed("a scan from key " + std::to_string(key) + " read " + std::to_string(rows) +
                         " rows of " + std::to_string(bytes) + " bytes");
        }
        ++checked_;
    }
    if (timing_ == "batches") {
        tally.measured_ns = now_ns() - batch_begun;
        if (keys.size() == answers_.size()) samples.push_back(tally.measured_ns);
    }
    return tally;
}

}  // namespace kv
