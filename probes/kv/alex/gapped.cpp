#include "alex/gapped.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace alex {
namespace {

constexpr std::size_t kMaxSpread = 3;
constexpr double kTwo64 = 18446744073709551616.0;

void set_slope(Model& model, double lines_per_key) {
    if (!(lines_per_key > 0)) return;
    int exponent = 0;
    double mantissa = std::frexp(lines_per_key, &exponent);
    if (exponent > 0) {  // more than a line per key can only be asked for by a nearly empty leaf
        mantissa = 0.9999999999;
        exponent = 0;
    }
    if (exponent < -63) return;
    model.slope = static_cast<std::uint64_t>(std::ldexp(mantissa, 64));
    model.shift = static_cast<std::uint32_t>(-exponent);
}

/// Lets the line `lines_at_least` + slope * (key - least) begin at a base, or at a first line where the base
/// would lie below 0.
void set_intercept(Model& model, Key least, double lines_at_least, double lines_per_key) {
    const double keys = std::abs(lines_at_least) / lines_per_key;
    if (lines_at_least <= 0) {
        model.base = keys < kTwo64 - static_cast<double>(least) ? least + static_cast<Key>(keys) : least;
    } else if (keys <= static_cast<double>(least) && static_cast<Key>(keys) <= least) {
        model.base = least - static_cast<Key>(keys);
    } else {
        model.base = least;
        model.first_line = static_cast<std::uint32_t>(std::min<double>(lines_at_least, model.lines - 1));
    }
}

/// The slot of each entry in turn: as predicted, but behind its forerunner and with room for those that
/// follow.
template <typename Visit>
void each_slot(Entries entries, const Model& model, Visit visit) {
    const std::size_t capacity = model.lines * kLineSlots;
    std::size_t next = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::size_t line = model.line(entries[i].key);
        const std::size_t slot = std::min(std::max(next, line * kLineSlots), capacity - (entries.size() - i));
        visit(i, line, next, slot);
        next = slot + 1;
    }
}

}  // namespace

Model fit(Entries entries, std::size_t lines) {
    Model model;
    model.lines = static_cast<std::uint32_t>(lines);
    if (entries.empty()) return model;
    const Key least = entries.front().key;
    model.base = least;
    const std::size_t n = entries.size();
    if (n == 1 || lines == 1) return model;
    const auto range = static_cast<double>(entries.back().key - least);
    double x_sum = 0, xx_sum = 0, xy_sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double x = static_cast<double>(entries[i].key - least) / range;
        x_sum += x;
        xx_sum += x * x;
        xy_sum += x * static_cast<double>(i);
    }
    const auto count = static_cast<double>(n);
    const double y_mean = (count - 1) / 2;
    const double x_mean = x_sum / count;
    const double variance = xx_sum - x_mean * x_sum;
    const double slope = (xy_sum - x_mean * y_mean * count) / variance;  // ranks per range
    const double scale = static_cast<double>(lines) / count;             // lines per rank
    set_slope(model, slope / range * scale);
    if (model.slope != 0)
        set_intercept(model, least, (y_mean - slope * x_mean) * scale, slope / range * scale);
    return model;
}

double search_steps(Entries entries, const Model& model) {
    if (entries.empty()) return 0;
    std::size_t steps = 0;
    each_slot(entries, model, [&](std::size_t, std::size_t line, std::size_t, std::size_t slot) {
        const std::size_t at = slot / kLineSlots;
        steps += static_cast<std::size_t>(std::bit_width(at > line ? at - line : line - at));
    });
    return static_cast<double>(steps) / static_cast<double>(entries.size());
}

void lay_out(Leaf& leaf, Entries entries) {
    std::size_t end = 0;
    std::size_t errors = 0;
    each_slot(entries, leaf.model, [&](std::size_t i, std::size_t line, std::size_t first, std::size_t last) {
        const std::size_t at = last / kLineSlots;
        errors += at > line ? at - line : line - at;
        const Entry entry = entries[i];
        for (std::size_t slot = first; slot <= last; ++slot) leaf.slots[slot] = entry;
        end = last + 1;
    });
    std::fill(leaf.slots + end, leaf.slots + leaf.capacity(), Entry{kNoKey, 0});
    leaf.count = static_cast<std::uint32_t>(entries.size());
    leaf.moved = 0;
    leaf.model.spread =
        entries.empty() ? 0 : static_cast<std::uint32_t>(std::min(errors / entries.size(), kMaxSpread));
}

void collect(const Leaf& leaf, std::vector<Entry>& out) {
    const std::size_t capacity = leaf.capacity();
    for (std::size_t slot = 0; slot < capacity; ++slot) {
        if (!is_gap(leaf, slot)) out.push_back(leaf.slots[slot]);
    }
}

std::size_t insert_at(Leaf& leaf, std::size_t slot, Entry entry) {
    Entry* const slots = leaf.slots;
    const std::size_t capacity = leaf.capacity();
    if (slot < capacity && is_gap(leaf, slot)) {
        // The run of gaps may reach further right, and the prediction with it.
        const std::size_t wanted = leaf.model.line(entry.key) * kLineSlots;
        std::size_t last = slot;
        while (last < wanted && last + 1 < capacity && is_gap(leaf, last + 1)) ++last;
        std::fill(slots + slot, slots + last + 1, entry);
        ++leaf.count;
        return 0;
    }
    // Otherwise the nearest gap gives its place. To the left a gap is a copy of the slot to its right.
    const auto left_gap = [&](std::size_t at) { return slots[at].key == slots[at + 1].key; };
    for (std::size_t distance = 1; distance <= capacity; ++distance) {
        const std::size_t right = slot + distance;
        if (right < capacity && is_gap(leaf, right)) {
            std::memmove(slots + slot + 1, slots + slot, distance * sizeof(Entry));
            slots[slot] = entry;
            ++leaf.count;
            return distance;
        }
        if (slot >= distance + 1 && left_gap(slot - distance - 1)) {
            const std::size_t gap = slot - distance - 1;
            std::memmove(slots + gap, slots + gap + 1, distance * sizeof(Entry));
            slots[slot - 1] = entry;
            ++leaf.count;
            return distance - 1;
        }
        if (right >= capacity && slot < distance + 1) break;
    }
    return kFull;
}

void erase_at(Leaf& leaf, std::size_t slot) {
    const Key key = leaf.slots[slot].key;
    std::size_t end = slot;
    while (end < leaf.capacity() && leaf.slots[end].key == key) ++end;
    const Entry follower = end < leaf.capacity() ? leaf.slots[end] : Entry{kNoKey, 0};
    std::fill(leaf.slots + slot, leaf.slots + end, follower);
    --leaf.count;
}

void update_at(Leaf& leaf, std::size_t slot, Value value) {
    const Key key = leaf.slots[slot].key;
    for (std::size_t at = slot; at < leaf.capacity() && leaf.slots[at].key == key; ++at) {
        leaf.slots[at].value = value;
    }
}

}  // namespace alex
