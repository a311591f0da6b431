#include "engines/note_leaf.hpp"

#include <algorithm>
#include <cstring>

namespace kv {

NoteLeaf::NoteLeaf(const std::vector<alex::Entry>& entries, std::size_t least_slots)
    : keys_(std::max(2 * entries.size(), least_slots)), values_(keys_.size()), count_(entries.size()) {
    if (entries.empty()) return;
    least_ = entries.front().key;
    const auto range = static_cast<double>(entries.back().key - least_);
    const std::size_t slots = keys_.size();
    slope_ = range > 0 ? static_cast<double>(2 * (entries.size() - 1)) / range : 0;
    std::size_t next = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::size_t slot =
            std::min(std::max(next, predicted(entries[i].key)), slots - (entries.size() - i));
        keys_[slot] = entries[i].key;
        values_[slot] = to_bytes(entries[i].value);
        next = slot + 1;
    }
}

NoteLeaf::Bytes NoteLeaf::to_bytes(std::uint64_t value) {
    Bytes bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

std::uint64_t NoteLeaf::from_bytes(const Bytes& bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

std::size_t NoteLeaf::predicted(std::uint64_t key) const {
    if (key <= least_) return 0;
    const double slot = slope_ * static_cast<double>(key - least_);
    return slot < static_cast<double>(keys_.size() - 1) ? static_cast<std::size_t>(slot) : keys_.size() - 1;
}

std::size_t NoteLeaf::taken_before(std::size_t slot) const {
    for (std::size_t at = slot + 1; at-- > 0;) {
        if (keys_[at]) return at;
    }
    return keys_.size();
}

std::size_t NoteLeaf::last_not_above(std::uint64_t key) const {
    const std::size_t slots = keys_.size();
    // A slot is "not above" when the nearest taken slot at or before it is, or when there is none.
    const auto not_above = [&](std::size_t slot) {
        const std::size_t taken = taken_before(slot);
        return taken == slots || *keys_[taken] <= key;
    };
    std::size_t low = predicted(key);
    std::size_t high = low;
    std::size_t step = 1;
    if (not_above(low)) {
        while (high < slots && not_above(high)) {
            low = high;
            high = std::min(slots, high + step);
            step *= 2;
        }
    } else {
        while (low > 0 && !not_above(low)) {
            high = low;
            low -= std::min(low, step);
            step *= 2;
        }
        if (!not_above(low)) return slots;
    }
    while (high - low > 1) {
        const std::size_t middle = low + (high - low) / 2;
        (not_above(middle) ? low : high) = middle;
    }
    return taken_before(low);
}

std::optional<std::uint64_t> NoteLeaf::get(std::uint64_t key) const {
    const std::size_t slot = last_not_above(key);
    if (slot == keys_.size() || *keys_[slot] != key) return std::nullopt;
    return from_bytes(*values_[slot]);
}

bool NoteLeaf::put(std::uint64_t key, std::uint64_t value) {
    const std::size_t slots = keys_.size();
    const std::size_t before = last_not_above(key);
    if (before != slots && *keys_[before] == key) {
        values_[before] = to_bytes(value);
        return true;
    }
    if (static_cast<double>(count_ + 1) > 0.95 * static_cast<double>(slots)) return false;
    std::size_t slot = before == slots ? 0 : before + 1;  // where the key belongs
    std::size_t free = slot;
    while (free < slots && keys_[free]) ++free;
    if (free < slots) {
        std::rotate(keys_.begin() + static_cast<std::ptrdiff_t>(slot),
                    keys_.begin() + static_cast<std::ptrdiff_t>(free),
                    keys_.begin() + static_cast<std::ptrdiff_t>(free) + 1);
        std::rotate(values_.begin() + static_cast<std::ptrdiff_t>(slot),
                    values_.begin() + static_cast<std::ptrdiff_t>(free),
                    values_.begin() + static_cast<std::ptrdiff_t>(free) + 1);
    } else {
        free = slot - 1;
        while (keys_[free]) --free;  // there is one: the density is below 1
        --slot;
        std::rotate(keys_.begin() + static_cast<std::ptrdiff_t>(free),
                    keys_.begin() + static_cast<std::ptrdiff_t>(free) + 1,
                    keys_.begin() + static_cast<std::ptrdiff_t>(slot) + 1);
        std::rotate(values_.begin() + static_cast<std::ptrdiff_t>(free),
                    values_.begin() + static_cast<std::ptrdiff_t>(free) + 1,
                    values_.begin() + static_cast<std::ptrdiff_t>(slot) + 1);
    }
    keys_[slot] = key;
    values_[slot] = to_bytes(value);
    ++count_;
    return true;
}

std::vector<alex::Entry> NoteLeaf::entries() const {
    std::vector<alex::Entry> all;
    for (std::size_t slot = 0; slot < keys_.size(); ++slot) {
        if (keys_[slot]) all.push_back({*keys_[slot], from_bytes(*values_[slot])});
    }
    return all;
}

std::size_t NoteLeaf::bytes() const {
    // A heap block of 8 bytes takes 32 with the allocator's own.
    return sizeof *this + keys_.capacity() * sizeof keys_[0] + values_.capacity() * sizeof values_[0] +
           count_ * 32;
}

void NoteLeaf::values_from(std::uint64_t from, std::size_t limit, std::vector<std::uint64_t>& values) const {
    for (std::size_t slot = 0; slot < keys_.size() && values.size() < limit; ++slot) {
        if (keys_[slot] && *keys_[slot] >= from) values.push_back(from_bytes(*values_[slot]));
    }
}

}  // namespace kv
