// What happens when a leaf is full: grow it, or divide it sideways or downwards. No step touches more than
// one leaf and one inner node of bounded size, so no insert waits for a rebuild of the index.
#include <algorithm>
#include <cstring>

#include "alex/alex.hpp"

namespace alex {
namespace {

constexpr double kFullDensity = 0.88;
constexpr double kGrownDensity = 0.70;
constexpr double kTightDensity = 0.75;
constexpr double kFewDensity = 0.80;
constexpr std::size_t kFewEntries = 64;
constexpr std::size_t kFewLines = 8;  // below this a leaf knows too little to keep its model
constexpr double kAppendDensity = 0.6;
constexpr std::uint32_t kMovesPerEntry =
    24;  // more than this per entry since the last layout: the model is bad
constexpr std::size_t kMaxGrownFanout = std::size_t{1} << 15;
constexpr unsigned kDownFanoutBits = 8;

}  // namespace

/// A key behind all keys of the index, in a leaf whose last slot is taken and that has a model worth keeping.
bool Alex::appends(const Leaf& leaf, Key key) {
    const Key last = leaf.slots[leaf.capacity() - 1].key;
    return leaf.next == nullptr && leaf.model.lines >= kFewLines && last != kNoKey && last < key &&
           leaf.count >= kAppendDensity * static_cast<double>(leaf.capacity());
}

bool Alex::has_room(const Leaf& leaf, Key key) {
    if (leaf.model.lines == 1) return leaf.count < kLineSlots;
    if (leaf.moved > kMovesPerEntry * (leaf.count + 64) || appends(leaf, key)) return false;
    return leaf.count + 1 <= kFullDensity * static_cast<double>(leaf.capacity());
}

void Alex::make_room(const Place& place, Key key) {
    Leaf& leaf = *place.leaf;
    const bool at_the_end = appends(leaf, key);
    if (at_the_end && leaf.model.lines * 2 <= kMaxLines) {
        resize_in_place(leaf, leaf.model.lines * 2);
        return;
    }
    scratch_.clear();
    collect(leaf, scratch_);
    const bool badly_placed = leaf.moved > kMovesPerEntry * (leaf.count + 64);
    const double density = scratch_.size() < kFewEntries ? kFewDensity : kGrownDensity;
    const std::size_t lines = lines_for(scratch_.size() + 1, density);
    if (lines <= kMaxLines && !badly_placed && !at_the_end) {
        const Model model = fit(scratch_, lines);
        // The cost model: a leaf grows as long as a division would not save more than its node costs.
        const double saved = options_.costs.step * search_steps(scratch_, model);
        if (scratch_.size() < kFewEntries || saved <= 2 * options_.costs.inner) {
            refit(leaf, scratch_, lines);
            return;
        }
    }
    if (scratch_.size() < 2) {
        refit(leaf, scratch_, lines);
        return;
    }
    divide(place, key);
}

/// Adds free slots at the end or takes them away; nothing is laid out anew.
void Alex::resize_in_place(Leaf& leaf, std::size_t lines) {
    const std::size_t capacity = lines * kLineSlots;
    auto* slots = static_cast<Entry*>(arrays_.take(capacity * sizeof(Entry)));
    const std::size_t kept = std::min(capacity, leaf.capacity());
    std::memcpy(slots, leaf.slots, kept * sizeof(Entry));
    std::fill(slots + kept, slots + capacity, Entry{kNoKey, 0});
    arrays_.give_back(leaf.slots, leaf.capacity() * sizeof(Entry));
    leaf.slots = slots;
    leaf.model.lines = static_cast<std::uint32_t>(lines);
}

Alex::Slots Alex::slots_of(const Inner& parent, std::size_t slot) {
    const Node child = parent.children[slot];
    std::size_t first = slot;
    std::size_t end = slot + 1;
    while (first > 0 && parent.children[first - 1] == child) --first;
    while (end < parent.fanout && parent.children[end] == child) ++end;
    return {first, end};
}

void Alex::divide(const Place& place, Key key) {
    if (place.parent == nullptr) {
        divide_down(place);
        return;
    }
    Inner& parent = *place.parent;
    widen(parent, place, key);
    Slots slots = slots_of(parent, parent.slot(key));
    if (slots.end - slots.first == 1 && parent.shift > 0 && parent.fanout * 2 <= kMaxGrownFanout &&
        parent.fanout <= 4 * parent.distinct) {
        double_slots(parent);
        slots = slots_of(parent, parent.slot(key));
    }
    if (slots.end - slots.first > 1) {
        divide_sideways(parent, *place.leaf, slots, key);
    } else {
        divide_down(place);
    }
}

/// Keys beyond the range of an inner node pile up in its first or last child. When that child is full, the
/// range grows: as many further slots as there are, all with that child, for divide_sideways to use.
void Alex::widen(Inner& parent, const Place& place, Key key) {
    const std::size_t fanout = parent.fanout;
    if (fanout * 2 > kMaxGrownFanout) return;
    const Key width_minus_1 = (Key{1} << parent.shift) - 1;
    if (place.slot == fanout - 1 && key > parent.low && ((key - parent.low) >> parent.shift) >= fanout) {
        const Key slots_to_the_end = ((kNoKey - parent.low) >> parent.shift) + 1;
        const std::size_t further = std::min<Key>(fanout, slots_to_the_end - fanout);
        replace_children(parent, fanout + further, 0);
        std::fill(parent.children + fanout, parent.children + parent.fanout, Node(place.leaf));
    } else if (place.slot == 0 && key < parent.low && parent.low > width_minus_1) {
        const std::size_t further = std::min<Key>(fanout, parent.low >> parent.shift);
        replace_children(parent, fanout + further, further);
        std::fill(parent.children, parent.children + further, Node(place.leaf));
        parent.low -= static_cast<Key>(further) << parent.shift;
    }
}

/// Room for another fan-out; the present children start at slot `at` of it.
void Alex::replace_children(Inner& parent, std::size_t fanout, std::size_t at) {
    auto* children = static_cast<Node*>(arrays_.take(fanout * sizeof(Node)));
    std::copy(parent.children, parent.children + parent.fanout, children + at);
    arrays_.give_back(parent.children, parent.fanout * sizeof(Node));
    parent.children = children;
    parent.fanout = static_cast<std::uint32_t>(fanout);
}

void Alex::double_slots(Inner& parent) {
    const std::size_t fanout = parent.fanout;
    auto* children = static_cast<Node*>(arrays_.take(2 * fanout * sizeof(Node)));
    for (std::size_t i = 0; i < fanout; ++i) children[2 * i] = children[2 * i + 1] = parent.children[i];
    arrays_.give_back(parent.children, fanout * sizeof(Node));
    parent.children = children;
    parent.fanout = static_cast<std::uint32_t>(2 * fanout);
    --parent.shift;
}

/// Cuts a leaf at the slot border that divides its entries most evenly, or, for a key behind all others, at
/// the last border before the key, so that the full part stays as it is.
void Alex::divide_sideways(Inner& parent, Leaf& leaf, Slots slots, Key key) {
    const auto entries_before = [&](std::size_t slot) {
        const auto found = std::lower_bound(scratch_.begin(), scratch_.end(), parent.border(slot),
                                            [](const Entry& entry, Key bound) { return entry.key < bound; });
        return static_cast<std::size_t>(found - scratch_.begin());
    };
    const bool at_the_end = leaf.next == nullptr && scratch_.back().key < key;
    leaf.moved = 0;
    std::size_t cut = 0;
    if (at_the_end && parent.slot(key) > slots.first) {
        cut = parent.slot(key);
    } else {
        // entries_before never falls with the slot: the first border with at least half of them, or its
        // forerunner.
        std::size_t low = slots.first + 1;
        std::size_t high = slots.end - 1;
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (entries_before(middle) * 2 >= scratch_.size()) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        cut = low;
        const auto unevenness = [&](std::size_t slot) {
            const std::size_t before = entries_before(slot);
            return std::max(before, scratch_.size() - before);
        };
        if (cut > slots.first + 1 && unevenness(cut - 1) < unevenness(cut)) --cut;
    }
    const std::size_t kept = entries_before(cut);
    const Entries all(scratch_);
    Leaf* right = new_leaf(1);
    right->next = leaf.next;
    right->previous = &leaf;
    if (leaf.next != nullptr) leaf.next->previous = right;
    leaf.next = right;
    const Entries stay = all.first(kept);
    const Entries moved = all.subspan(kept);
    if (at_the_end && kept * 2 > all.size() && leaf.model.lines >= kFewLines) {
        // The full part keeps its layout. Keys to come will rise as steeply as those before them.
        resize(*right, leaf.model.lines);
        right->model = leaf.model;
        right->model.base = moved.empty() ? key : moved.front().key;
        right->model.first_line = 0;
        lay_out(*right, moved);
        const std::size_t from = moved.empty() ? leaf.capacity() : lower_bound(leaf, moved.front().key);
        std::fill(leaf.slots + from, leaf.slots + leaf.capacity(), Entry{kNoKey, 0});
        leaf.count = static_cast<std::uint32_t>(kept);
        const std::size_t used = (from + kLineSlots - 1) / kLineSlots;
        if (used + used / 16 < leaf.model.lines) resize_in_place(leaf, used);
    } else {
        if (!moved.empty()) refit(*right, moved, lines_for(moved.size(), kTightDensity));
        if (!moved.empty()) refit(leaf, stay, lines_for(kept, kTightDensity));
    }
    std::fill(parent.children + cut, parent.children + slots.end, Node(right));
    ++parent.distinct;
}

/// Replaces a leaf by an inner node over its entries, planned as in a bulk load.
void Alex::divide_down(const Place& place) {
    Leaf* const old = place.leaf;
    Leaf* const next = old->next;
    Leaf* previous = old->previous;
    const std::vector<Entry> entries(scratch_);
    const Node node = build(entries, true, kDownFanoutBits, previous);
    previous->next = next;
    if (next != nullptr) next->previous = previous;
    if (old == first_) {
        Node leftmost = node;
        while (!leftmost.is_leaf()) leftmost = leftmost.inner()->children[0];
        first_ = leftmost.leaf();
    }
    if (place.parent == nullptr) {
        root_ = node;
    } else {
        const Slots slots = slots_of(*place.parent, place.parent->slot(entries.front().key));
        std::fill(place.parent->children + slots.first, place.parent->children + slots.end, node);
    }
    arrays_.give_back(old->slots, old->capacity() * sizeof(Entry));
    nodes_.give_back(old, sizeof(Leaf));
}

}  // namespace alex
