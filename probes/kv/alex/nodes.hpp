// The two kinds of nodes: a leaf holds entries in a gapped array, an inner node divides its keys evenly.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace alex {

using Key = std::uint64_t;
using Value = std::uint64_t;

struct Entry {
    Key key;
    Value value;
    friend bool operator==(const Entry&, const Entry&) = default;
};

/// Key of the slots behind the last entry. The entry with this very key lives outside of the tree
/// (Alex::last_).
inline constexpr Key kNoKey = ~Key{0};
/// Four entries are one cache line. Models predict lines, not slots: then a line that is read is read whole.
inline constexpr std::size_t kLineSlots = 4;

/// A line index as a linear function of the key, in fixed point: exact and monotone for every 64-bit key.
struct Model {
    Key base = 0;             // keys up to here are predicted at `first_line`
    std::uint64_t slope = 0;  // lines per key, times 2^(64 + shift)
    std::uint32_t lines = 1;
    std::uint32_t first_line = 0;
    std::uint32_t shift = 0;
    std::uint32_t spread = 0;  // lines on either side that a search is likely to need, 0 for a good model

    std::size_t line(Key key) const {
        const Key above = key > base ? key - base : 0;
        const auto high = static_cast<std::uint64_t>((static_cast<unsigned __int128>(above) * slope) >> 64);
        return std::min<std::uint64_t>((high >> shift) + first_line, lines - 1);
    }
};

/// A gapped array: keys never fall from slot to slot; a gap holds a copy of the entry to its right, or kNoKey
/// where no entry follows. So a search meets no gaps, and a key is present exactly where it is found.
struct alignas(64) Leaf {
    Model model;
    std::uint32_t count = 0;
    std::uint32_t moved = 0;  // entries that inserts pushed aside since the last layout
    Entry* slots = nullptr;
    Leaf* next = nullptr;
    Leaf* previous = nullptr;

    std::size_t capacity() const { return model.lines * kLineSlots; }
};
static_assert(sizeof(Leaf) == 64);

struct Inner;

/// Pointer to either kind of node; the lowest bit marks a leaf.
class Node {
  public:
    Node() = default;
    explicit Node(Leaf* leaf) : bits_(reinterpret_cast<std::uintptr_t>(leaf) | 1) {}
    explicit Node(Inner* inner) : bits_(reinterpret_cast<std::uintptr_t>(inner)) {}
    bool is_leaf() const { return (bits_ & 1) != 0; }
    Leaf* leaf() const { return reinterpret_cast<Leaf*>(bits_ - 1); }
    Inner* inner() const { return reinterpret_cast<Inner*>(bits_); }
    friend bool operator==(Node, Node) = default;

  private:
    std::uintptr_t bits_ = 0;
};

/// The model of an inner node: slot (key - low) / 2^shift, keys outside go to the first and last slot.
/// Neighbouring slots may hold the same child.
struct alignas(64) Inner {
    Key low = 0;
    std::uint32_t shift = 0;
    std::uint32_t fanout = 0;
    Node* children = nullptr;
    std::uint32_t distinct = 0;  // different children

    std::size_t slot(Key key) const {
        const Key above = key > low ? key - low : 0;
        return std::min<std::uint64_t>(above >> shift, fanout - 1);
    }
    /// Least key of a slot; kNoKey for slots beyond all keys.
    Key border(std::size_t at) const {
        return at > (kNoKey - low) >> shift ? kNoKey : low + (static_cast<Key>(at) << shift);
    }
    Node child(Key key) const { return children[slot(key)]; }
};

}  // namespace alex
