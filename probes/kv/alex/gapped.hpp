// Gapped arrays: fitting a model to sorted entries, laying them out by it, and changing them in place.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "alex/nodes.hpp"

namespace alex {

using Entries = std::span<const Entry>;

/// Least-squares line through (key, rank), scaled to `lines`. Entries are sorted, keys distinct; may be
/// empty.
Model fit(Entries entries, std::size_t lines);

/// Mean number of doublings that an exponential search needs to reach an entry from its predicted line, once
/// the entries are laid out by the model: 0 where all lie in the predicted line.
double search_steps(Entries entries, const Model& model);

/// Writes the entries into leaf.slots by leaf.model; at most as many as the capacity.
void lay_out(Leaf& leaf, Entries entries);

/// The entries of a leaf without its gaps, appended to `out`.
void collect(const Leaf& leaf, std::vector<Entry>& out);

inline constexpr std::size_t kFull = ~std::size_t{0};

/// Puts a new entry before `slot`, the lower bound of its key. Gives how many entries had to move, or kFull.
std::size_t insert_at(Leaf& leaf, std::size_t slot, Entry entry);

/// Turns the entry whose first copy is at `slot` into gaps.
void erase_at(Leaf& leaf, std::size_t slot);

/// Overwrites the value in every copy of the entry whose first copy is at `slot`.
void update_at(Leaf& leaf, std::size_t slot, Value value);

/// A slot that an insert may take: it holds no entry, or a copy of the one to its right.
inline bool is_gap(const Leaf& leaf, std::size_t slot) {
    const Key key = leaf.slots[slot].key;
    return key == kNoKey || (slot + 1 < leaf.capacity() && leaf.slots[slot + 1].key == key);
}

}  // namespace alex
