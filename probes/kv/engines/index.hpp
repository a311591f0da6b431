// Indexes from keys to 64-bit values, chosen by name, behind one interface.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alex/nodes.hpp"
#include "engines/store.hpp"

namespace kv {

class Index {
  public:
    virtual ~Index() = default;
    virtual void put(std::uint64_t key, std::uint64_t value) = 0;
    /// Fills an empty index from entries in key order.
    virtual void load(const std::vector<alex::Entry>& entries) = 0;
    virtual std::optional<std::uint64_t> get(std::uint64_t key) const = 0;
    /// Bytes that it takes, all counted; nothing where the container does not say.
    virtual std::optional<std::size_t> bytes() const { return std::nullopt; }
    /// Values of the next keys from `from` on, at most `limit`; false where keys have no order.
    virtual bool values_from(std::uint64_t from, std::size_t limit,
                             std::vector<std::uint64_t>& values) const = 0;
    virtual Json shape() const { return Json::object(); }
};

/// "alex", "alex_simd", "alex_huge_pages", "btree", "hash", "hash_huge_pages", "sorted", "note_flat" or
/// "note_levels"; throws Refused for another name.
std::unique_ptr<Index> make_index(const std::string& name);

}  // namespace kv
