// What every engine can do: byte values under 64-bit keys.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kv {

using Json = nlohmann::json;

/// The request asks for something that is not there or not possible; nothing was opened.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// An engine failed, or read something that was not written.
struct Failed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Row {
    std::uint64_t key;
    std::string_view value;
};

class Store {
  public:
    virtual ~Store() = default;

    /// Writes rows as one unit (transaction or write batch), as durably as the options say.
    virtual void write(std::span<const Row> rows) = 0;
    /// True, and the value in `value`, if the key is present.
    virtual bool get(std::uint64_t key, std::string& value) = 0;
    /// How many rows follow from a key on, at most `limit`; their bytes are read and added up in `bytes`.
    virtual std::size_t scan(std::uint64_t from, std::size_t limit, std::uint64_t& bytes) = 0;

    /// Called between phases: "flush" writes out what is in memory, "compact" also merges everything.
    virtual void settle(std::string_view /*how*/) {}
    /// Returns when the engine does nothing in the background any more and holds no memory for writes alone.
    virtual void rest() {}
    /// Called before and after a measured phase, for what an engine holds open meanwhile.
    virtual void begin_reads() {}
    virtual void end_reads() {}

    virtual Json settings() const = 0;
    /// Totals since the store was opened.
    virtual Json counters() = 0;
    virtual std::string version() const = 0;
};

/// Takes the options that belong to it out of `options`; what is left over is refused by the caller.
using Open = std::unique_ptr<Store> (*)(const std::string& folder, Json& options);

std::unique_ptr<Store> open_rocksdb(const std::string& folder, Json& options);
std::unique_ptr<Store> open_sqlite(const std::string& folder, Json& options);
std::unique_ptr<Store> open_lmdb(const std::string& folder, Json& options);
std::unique_ptr<Store> open_redb(const std::string& folder, Json& options);
std::unique_ptr<Store> open_value_file(const std::string& folder, Json& options);

}  // namespace kv
