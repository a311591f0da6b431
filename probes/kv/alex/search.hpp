// Search inside one leaf, from the line that the model predicts outwards.
#pragma once

#include <cstddef>

#include "alex/nodes.hpp"

namespace alex {

/// How many keys of a line lie below the key, without branches.
inline std::size_t below(const Entry* line, Key key) {
    return std::size_t{line[0].key < key} + std::size_t{line[1].key < key} + std::size_t{line[2].key < key} +
           std::size_t{line[3].key < key};
}

/// First line whose last key is not below the key, at or behind `line`; `lines` if there is none.
/// Exponential search, then binary search between the last two steps.
inline std::size_t gallop_right(const Entry* slots, std::size_t line, std::size_t lines, Key key) {
    const auto last_below = [&](std::size_t at) { return slots[at * kLineSlots + kLineSlots - 1].key < key; };
    std::size_t step = 1;
    std::size_t low = line;  // every line before `low` is below the key
    while (low < lines && last_below(std::min(low + step, lines) - 1)) {
        low = std::min(low + step, lines);
        step *= 2;
    }
    std::size_t length = std::min(step, lines - low);  // the answer is in [low, low + length)
    while (length > 1) {
        const std::size_t half = length / 2;
        low += last_below(low + half - 1) ? half : 0;
        length -= half;
    }
    return low;
}

/// Last line at or before `line` whose first key is below the key; 0 if there is none.
inline std::size_t gallop_left(const Entry* slots, std::size_t line, Key key) {
    const auto first_below = [&](std::size_t at) { return slots[at * kLineSlots].key < key; };
    std::size_t step = 1;
    std::size_t high = line + 1;  // no line from `high` on starts below the key
    while (high > 0 && !first_below(high - std::min(step, high))) {
        high -= std::min(step, high);
        step *= 2;
    }
    if (high == 0) return 0;
    std::size_t low = high - std::min(step, high);  // starts below the key
    while (high - low > 1) {
        const std::size_t middle = low + (high - low) / 2;
        if (first_below(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/// First slot whose key is not below the key; the capacity if there is none.
inline std::size_t lower_bound(const Leaf& leaf, Key key) {
    std::size_t line = leaf.model.line(key);
    std::size_t found = below(leaf.slots + line * kLineSlots, key);
    if (found == kLineSlots) {
        line = gallop_right(leaf.slots, line + 1, leaf.model.lines, key);
        if (line == leaf.model.lines) return leaf.capacity();
        found = below(leaf.slots + line * kLineSlots, key);
    } else if (found == 0 && line > 0) {
        line = gallop_left(leaf.slots, line - 1, key);
        found = below(leaf.slots + line * kLineSlots, key);
    }
    return line * kLineSlots + found;
}

/// The slot of a key that was not in its predicted line, or nullptr.
const Entry* find_elsewhere(const Leaf& leaf, std::size_t line, Key key, bool right);

/// The slot that holds the key, or nullptr. Any copy serves.
inline const Entry* find(const Leaf& leaf, Key key) {
    const std::size_t line = leaf.model.line(key);
    const Entry* slots = leaf.slots + line * kLineSlots;
    // Where the model is bad the lines around are fetched with the predicted one, not one after the other.
    for (std::size_t away = 1; away <= leaf.model.spread; ++away) {
        __builtin_prefetch(slots + away * kLineSlots);
        __builtin_prefetch(slots - away * kLineSlots);
    }
    const std::size_t found = below(slots, key);
    // Slot 3 stands in for "none": it is compared once more, which costs less than a branch.
    const Entry* candidate = slots + (found & 3);
    if (candidate->key == key) [[likely]]
        return candidate;
    if (found == kLineSlots) return find_elsewhere(leaf, line, key, true);
    if (found == 0) return find_elsewhere(leaf, line, key, false);
    return nullptr;
}

}  // namespace alex
