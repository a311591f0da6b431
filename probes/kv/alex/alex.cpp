#include "alex/alex.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

namespace alex {
namespace {
constexpr unsigned kLoadFanoutBits = 20;
constexpr double kSparse = 0.3;  // a leaf below this density after an erase is laid out anew, smaller
}  // namespace

Alex::Alex(Options options) : options_(options), nodes_(options.huge_pages), arrays_(options.huge_pages) {
    scratch_.reserve(kMaxLines * kLineSlots);
    first_ = new_leaf(1);
    root_ = Node(first_);
}

Leaf* Alex::new_leaf(std::size_t lines) {
    auto* leaf = new (nodes_.take(sizeof(Leaf))) Leaf;
    leaf->slots = static_cast<Entry*>(arrays_.take(lines * kLineSlots * sizeof(Entry)));
    leaf->model.lines = static_cast<std::uint32_t>(lines);
    lay_out(*leaf, {});
    return leaf;
}

Inner* Alex::new_inner(Key low, std::uint32_t shift, std::size_t fanout) {
    auto* inner = new (nodes_.take(sizeof(Inner))) Inner;
    inner->low = low;
    inner->shift = shift;
    inner->fanout = static_cast<std::uint32_t>(fanout);
    inner->children = static_cast<Node*>(arrays_.take(fanout * sizeof(Node)));
    return inner;
}

/// New slots of so many lines, contents undefined.
void Alex::resize(Leaf& leaf, std::size_t lines) {
    if (lines == leaf.model.lines) return;
    auto* slots = static_cast<Entry*>(arrays_.take(lines * kLineSlots * sizeof(Entry)));
    arrays_.give_back(leaf.slots, leaf.capacity() * sizeof(Entry));
    leaf.slots = slots;
    leaf.model.lines = static_cast<std::uint32_t>(lines);
}

/// Lays a leaf out anew, denser than asked for where it would exceed the bound of a leaf.
void Alex::refit(Leaf& leaf, Entries entries, std::size_t lines) {
    lines = std::min(lines, kMaxLines);
    resize(leaf, lines);
    leaf.model = fit(entries, lines);
    lay_out(leaf, entries);
}

Node Alex::build(Entries entries, bool must_divide, unsigned max_fanout_bits, Leaf*& previous) {
    const Plan chosen = plan(entries, max_fanout_bits, must_divide, options_.costs);
    if (chosen.parts.empty()) {
        Leaf* leaf = new_leaf(1);
        refit(*leaf, entries, lines_for(entries.size(), kBuiltDensity));
        leaf->previous = previous;
        if (previous != nullptr) previous->next = leaf;
        previous = leaf;
        return Node(leaf);
    }
    Inner* inner = new_inner(chosen.low, chosen.shift, chosen.fanout);
    inner->distinct = static_cast<std::uint32_t>(chosen.parts.size());
    for (const Part& part : chosen.parts) {
        const Node child =
            build(entries.subspan(part.first, part.last - part.first), false, max_fanout_bits, previous);
        std::fill(inner->children + part.first_slot, inner->children + part.last_slot, child);
    }
    return Node(inner);
}

void Alex::bulk_load(Entries entries) {
    if (size_ != 0) throw std::invalid_argument("bulk_load needs an empty index");
    for (std::size_t i = 1; i < entries.size(); ++i) {
        if (entries[i - 1].key >= entries[i].key) {
            throw std::invalid_argument("bulk_load needs keys that rise strictly");
        }
    }
    if (entries.empty()) return;
    size_ = entries.size();
    if (entries.back().key == kNoKey) {
        last_ = entries.back().value;
        entries = entries.first(entries.size() - 1);
    }
    // What was built and emptied before is given up as a whole.
    free_tree();
    Leaf* previous = nullptr;
    root_ = build(entries, false, kLoadFanoutBits, previous);
    Node node = root_;
    while (!node.is_leaf()) node = node.inner()->children[0];
    first_ = node.leaf();
}

void Alex::free_tree() {
    std::vector<Node> open{root_};
    while (!open.empty()) {
        const Node node = open.back();
        open.pop_back();
        if (node.is_leaf()) {
            arrays_.give_back(node.leaf()->slots, node.leaf()->capacity() * sizeof(Entry));
            nodes_.give_back(node.leaf(), sizeof(Leaf));
            continue;
        }
        Inner* inner = node.inner();
        for (std::size_t i = 0; i < inner->fanout; ++i) {
            if (i == 0 || inner->children[i] != inner->children[i - 1]) open.push_back(inner->children[i]);
        }
        arrays_.give_back(inner->children, inner->fanout * sizeof(Node));
        nodes_.give_back(inner, sizeof(Inner));
    }
}

Alex::Place Alex::place_of(Key key) const {
    Place place;
    Node node = root_;
    while (!node.is_leaf()) {
        place.parent = node.inner();
        place.slot = place.parent->slot(key);
        node = place.parent->children[place.slot];
    }
    place.leaf = node.leaf();
    return place;
}

bool Alex::insert(Key key, Value value) {
    if (key == kNoKey) {
        if (last_) return false;
        last_ = value;
        ++size_;
        return true;
    }
    for (bool made_room = false;; made_room = true) {
        const Place place = place_of(key);
        Leaf& leaf = *place.leaf;
        const std::size_t slot = lower_bound(leaf, key);
        if (slot < leaf.capacity() && leaf.slots[slot].key == key) return false;
        // Once room was made, any gap will do: a layout may again fill the very end of its leaf.
        if (has_room(leaf, key) || (made_room && leaf.count < leaf.capacity())) {
            const std::size_t moved = insert_at(leaf, slot, {key, value});
            if (moved != kFull) {
                leaf.moved += static_cast<std::uint32_t>(moved);
                ++size_;
                return true;
            }
        }
        make_room(place, key);
    }
}

bool Alex::put(Key key, Value value) {
    if (insert(key, value)) return true;
    if (key == kNoKey) {
        last_ = value;
    } else {
        Leaf& leaf = *place_of(key).leaf;
        update_at(leaf, lower_bound(leaf, key), value);
    }
    return false;
}

bool Alex::erase(Key key) {
    if (key == kNoKey) {
        if (!last_) return false;
        last_.reset();
        --size_;
        return true;
    }
    Leaf& leaf = *place_of(key).leaf;
    const std::size_t slot = lower_bound(leaf, key);
    if (slot == leaf.capacity() || leaf.slots[slot].key != key) return false;
    erase_at(leaf, slot);
    --size_;
    if (leaf.model.lines > 1 &&
        static_cast<double>(leaf.count) < kSparse * static_cast<double>(leaf.capacity())) {
        scratch_.clear();
        collect(leaf, scratch_);
        refit(leaf, scratch_, lines_for(scratch_.size(), kSparse * 2));
    }
    return true;
}

Memory Alex::memory() const {
    const std::size_t own = sizeof(*this) + scratch_.capacity() * sizeof(Entry);
    return {nodes_.bytes_in_use() + arrays_.bytes_in_use(), nodes_.bytes_waiting() + arrays_.bytes_waiting(),
            nodes_.bytes_total() + arrays_.bytes_total() + own};
}

}  // namespace alex
