// The cost model: how to divide sorted entries into leaves, by the fanout tree of the paper.
#pragma once

#include <cstddef>
#include <vector>

#include "alex/gapped.hpp"

namespace alex {

/// Costs are nanoseconds of a dependent look-up on a current server; only their ratios matter.
struct Costs {
    double inner = 18;        // one more inner node on the way
    double step = 9;          // one doubling of the search in a leaf
    double leaf_bytes = 200;  // a further leaf, spread over all look-ups: its header displaces cached data
    double pointer = 6;       // a further slot of an inner node, likewise
};

/// A leaf never exceeds this, which bounds how long any single insert can take.
inline constexpr std::size_t kMaxLines = 2048;
inline constexpr double kBuiltDensity = 0.75;
inline constexpr std::size_t kMaxBuiltEntries =
    static_cast<std::size_t>(kMaxLines * kLineSlots * kBuiltDensity);

/// Lines of a leaf for so many entries at the density of a bulk load; at least one.
std::size_t lines_for(std::size_t entries, double density);

/// One child of an inner node to be built: slots [first_slot, last_slot) and entries [first, last).
struct Part {
    std::size_t first_slot, last_slot;
    std::size_t first, last;
};

/// Either a single leaf (parts is empty), or an inner node with these children.
struct Plan {
    Key low = 0;
    std::uint32_t shift = 0;
    std::size_t fanout = 1;
    std::vector<Part> parts;
};

/// entries: sorted, keys distinct. max_fanout_bits bounds the inner node, must_divide forbids a single leaf
/// (then at least two entries are needed).
Plan plan(Entries entries, unsigned max_fanout_bits, bool must_divide, const Costs& costs);

}  // namespace alex
