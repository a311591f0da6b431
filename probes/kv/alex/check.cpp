// Walks a whole index: the first broken invariant in words, and its shape.
#include <bit>

#include "alex/alex.hpp"

namespace alex {
namespace {

/// Depth first from the left, each child once, with the bounds that its place gives to its keys.
struct Walk {
    std::size_t entries = 0;
    std::size_t bytes = 0;
    const Leaf* previous = nullptr;
    Shape shape;
    double depths = 0;
    double steps = 0;
    std::optional<std::string> broken;

    bool demand(bool holds, const char* what) {
        if (!holds && !broken) broken = what;
        return holds;
    }

    /// Keys lie in [low, high].
    void leaf(const Leaf& leaf, Key low, Key high, std::size_t depth) {
        ++shape.leaves;
        shape.depth = std::max(shape.depth, depth);
        demand(leaf.model.lines >= 1 && leaf.model.lines <= kMaxLines,
               "a leaf has an impossible number of lines");
        demand(leaf.previous == previous, "a leaf's link to its left neighbour is wrong");
        if (previous != nullptr)
            demand(previous->next == &leaf, "a leaf's link to its right neighbour is wrong");
        previous = &leaf;
        std::size_t found = 0;
        const std::size_t capacity = leaf.capacity();
        for (std::size_t slot = 0; slot < capacity; ++slot) {
            const Entry& entry = leaf.slots[slot];
            if (slot > 0) demand(leaf.slots[slot - 1].key <= entry.key, "keys fall within a leaf");
            if (entry.key == kNoKey) continue;
            demand(entry.key >= low && entry.key <= high, "a key lies outside of its leaf's range");
            if (is_gap(leaf, slot)) {
                demand(leaf.slots[slot + 1] == entry, "a gap's copy differs from its entry");
                continue;
            }
            ++found;
            const Entry* at = find(leaf, entry.key);
            demand(at != nullptr && *at == entry, "a present key is not found in its leaf");
            const std::size_t line = leaf.model.line(entry.key);
            const std::size_t mine = slot / kLineSlots;
            steps += std::bit_width(mine > line ? mine - line : line - mine);
        }
        demand(found == leaf.count, "a leaf's count differs from its entries");
        entries += found;
        depths += static_cast<double>(depth * found);
        bytes += Arena::rounded(sizeof(Leaf)) + Arena::rounded(capacity * sizeof(Entry));
    }

    void inner(const Inner& inner, Key low, Key high, std::size_t depth) {
        ++shape.inner_nodes;
        bytes += Arena::rounded(sizeof(Inner)) + Arena::rounded(inner.fanout * sizeof(Node));
        demand(inner.fanout >= 1 && inner.shift < 64, "an inner node has an impossible model");
        std::size_t children = 0;
        for (std::size_t slot = 0; slot < inner.fanout && !broken;) {
            std::size_t end = slot + 1;
            while (end < inner.fanout && inner.children[end] == inner.children[slot]) ++end;
            const Key first = slot == 0 ? low : std::max(low, inner.border(slot));
            const Key last = end == inner.fanout ? high : std::min(high, inner.border(end) - 1);
            node(inner.children[slot], first, last, depth + 1);
            ++children;
            slot = end;
        }
        if (!broken) demand(children == inner.distinct, "an inner node's number of children is wrong");
    }

    void node(Node node, Key low, Key high, std::size_t depth) {
        if (node.is_leaf()) {
            leaf(*node.leaf(), low, high, depth);
        } else {
            inner(*node.inner(), low, high, depth);
        }
    }
};

}  // namespace

std::optional<std::string> Alex::check() const {
    Walk walk;
    walk.node(root_, 0, kNoKey, 0);
    walk.demand(walk.previous != nullptr && walk.previous->next == nullptr,
                "the last leaf has a right neighbour");
    walk.demand(first_->previous == nullptr, "the first leaf has a left neighbour");
    walk.demand(walk.entries + (last_ ? 1 : 0) == size_, "the size differs from the number of entries");
    walk.demand(walk.bytes == nodes_.bytes_in_use() + arrays_.bytes_in_use(),
                "the memory in use differs from that of the nodes");
    return walk.broken;
}

Shape Alex::shape() const {
    Walk walk;
    walk.node(root_, 0, kNoKey, 0);
    if (walk.entries > 0) {
        walk.shape.mean_depth = walk.depths / static_cast<double>(walk.entries);
        walk.shape.mean_steps = walk.steps / static_cast<double>(walk.entries);
    }
    return walk.shape;
}

}  // namespace alex
