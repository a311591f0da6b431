// Many look-ups at once: while the line of one key is on its way from memory, the others are found.
#pragma once

#include <array>
#include <span>

#include "alex/alex.hpp"

namespace alex {

/// out[i]: the value of keys[i], or nullptr. Groups of kGroup keys go through each stage together.
template <std::size_t kGroup>
void find_batch(const Alex& index, std::span<const Key> keys, std::span<const Value*> out) {
    std::array<const Leaf*, kGroup> leaves;
    for (std::size_t start = 0; start < keys.size(); start += kGroup) {
        const std::size_t count = std::min(kGroup, keys.size() - start);
        for (std::size_t i = 0; i < count; ++i) {
            leaves[i] = index.leaf_of(keys[start + i]);
            __builtin_prefetch(leaves[i]);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const Leaf& leaf = *leaves[i];
            __builtin_prefetch(leaf.slots + leaf.model.line(keys[start + i]) * kLineSlots);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const Key key = keys[start + i];
            if (key == kNoKey) [[unlikely]] {
                out[start + i] = index.find(key);
                continue;
            }
            const Entry* entry = find(*leaves[i], key);
            out[start + i] = entry == nullptr ? nullptr : &entry->value;
        }
    }
}

}  // namespace alex
