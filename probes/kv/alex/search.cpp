#include "alex/search.hpp"

namespace alex {

const Entry* find_elsewhere(const Leaf& leaf, std::size_t line, Key key, bool right) {
    if (right) {
        line = gallop_right(leaf.slots, line + 1, leaf.model.lines, key);
        if (line == leaf.model.lines) return nullptr;
    } else {
        if (line == 0) return nullptr;
        line = gallop_left(leaf.slots, line - 1, key);
    }
    const Entry* slots = leaf.slots + line * kLineSlots;
    const std::size_t found = below(slots, key);
    // A gap run may end one line further on; its first copy is what lower_bound finds.
    if (found == kLineSlots) {
        if (line + 1 == leaf.model.lines) return nullptr;
        return slots[kLineSlots].key == key ? slots + kLineSlots : nullptr;
    }
    return slots[found].key == key ? slots + found : nullptr;
}

}  // namespace alex
