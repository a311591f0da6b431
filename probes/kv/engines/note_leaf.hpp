// A leaf of the note's trees.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "alex/nodes.hpp"

namespace kv {

class NoteLeaf {
  public:
    /// Lays sorted entries out by a linear model over twice as many slots.
    explicit NoteLeaf(const std::vector<alex::Entry>& entries, std::size_t least_slots = 8);

    std::optional<std::uint64_t> get(std::uint64_t key) const;
    /// False if the leaf must be divided or laid out anew first.
    bool put(std::uint64_t key, std::uint64_t value);
    std::vector<alex::Entry> entries() const;
    std::size_t count() const { return count_; }
    std::size_t bytes() const;

    /// Values of keys from `from` on, at most up to `limit` in all.
    void values_from(std::uint64_t from, std::size_t limit, std::vector<std::uint64_t>& values) const;

  private:
    using Bytes = std::vector<std::uint8_t>;
    std::size_t predicted(std::uint64_t key) const;
    /// Slot of the last key <= key; the number of slots if there is none.
    std::size_t last_not_above(std::uint64_t key) const;
    /// Nearest taken slot at or before one; the number of slots if there is none.
    std::size_t taken_before(std::size_t slot) const;
    static Bytes to_bytes(std::uint64_t value);
    static std::uint64_t from_bytes(const Bytes& bytes);

    std::vector<std::optional<std::uint64_t>> keys_;
    std::vector<std::optional<Bytes>> values_;
    std::uint64_t least_ = 0;
    double slope_ = 0;
    std::size_t count_ = 0;
};

}  // namespace kv
