// Look-ups, one batch at a time: timed as the request says, every answer checked outside the timed regions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "probe/pattern.hpp"
#include "probe/reader.hpp"
#include "probe/request.hpp"
#include "probe/samples.hpp"

namespace kv {

/// What some batches did, and how long their timed regions took.
struct Tally {
    std::uint64_t operations = 0, measured_ns = 0;
    std::uint64_t index_ns = 0, engine_ns = 0;  // timing "parts" only
    std::uint64_t samples = 0;                  // of the first series

    Tally& operator+=(const Tally& more);
};

/// The keys that are looked up, in the order of their law.
class Keys {
  public:
    Keys(const Request& request, const Pattern& pattern, std::mt19937_64& random)
        : data_(request.data), absent_(request.absent), draws_(pattern, request.data.rows, random, request.turns) {}

    void next(std::span<std::uint64_t> into);
    std::vector<std::uint64_t> next(std::uint64_t count);

  private:
    const Data& data_;
    bool absent_;
    Draws draws_;
};

class Lookups {
  public:
    /// store: for scans, and for none but them.
    Lookups(const Request& request, const std::string& timing, Reader& reader, Store* store);

    /// Makes room for the samples of so many look-ups, so that the series need not move while others measure.
    void expect(std::uint64_t operations);

    /// At most batch_operations keys; keep: samples join the series. Throws Failed for a wrong answer.
    Tally batch(std::span<const std::uint64_t> keys, bool keep);
    /// All of them, batch by batch, and all are kept.
    Tally all(std::span<const std::uint64_t> keys);

    std::uint64_t checked() const { return checked_; }
    std::uint64_t cache_hits() const { return reader_.cache_hits(); }
    std::vector<Series> take_series() { return std::move(series_); }

  private:
    Tally time_batch(std::span<const std::uint64_t> keys);
    Tally time_each(std::span<const std::uint64_t> keys);
    Tally time_parts(std::span<const std::uint64_t> keys);
    Tally scan(std::span<const std::uint64_t> keys);
    void dependent(std::span<const std::uint64_t> keys);
    void check(std::span<const std::uint64_t> keys);

    const Request& request_;
    const std::string timing_;
    Reader& reader_;
    Store* store_;
    std::vector<Answer> answers_;
    std::vector<Series> series_;
    std::uint64_t checked_ = 0;
};

}  // namespace kv
