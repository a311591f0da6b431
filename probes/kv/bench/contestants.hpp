// What is compared: each holds the same entries and answers find with a pointer to the value.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "alex/alex.hpp"

#ifdef KV_PGM
#include <pgm/pgm_index.hpp>
#endif

namespace bench {

using alex::Entry;
using alex::Key;
using alex::Value;

struct BTree {
    absl::btree_map<Key, Value> map;
    void load(const std::vector<Entry>& entries) {
        for (const Entry& each : entries) map.emplace_hint(map.end(), each.key, each.value);
    }
    const Value* find(Key key) const {
        const auto at = map.find(key);
        return at == map.end() ? nullptr : &at->second;
    }
};

struct Hash {
    absl::flat_hash_map<Key, Value> map;
    void load(const std::vector<Entry>& entries) {
        map.reserve(entries.size());
        for (const Entry& each : entries) map.emplace(each.key, each.value);
    }
    const Value* find(Key key) const {
        const auto at = map.find(key);
        return at == map.end() ? nullptr : &at->second;
    }
};

struct SortedArray {
    std::vector<Key> keys;
    std::vector<Value> values;
    void load(const std::vector<Entry>& entries) {
        for (const Entry& each : entries) {
            keys.push_back(each.key);
            values.push_back(each.value);
        }
    }
    const Value* find(Key key) const {
        const auto at = std::lower_bound(keys.begin(), keys.end(), key);
        return at == keys.end() || *at != key ? nullptr
                                              : &values[static_cast<std::size_t>(at - keys.begin())];
    }
};

#ifdef KV_PGM
/// The PGM-index (Ferragina and Vinciguerra 2020) over the sorted array, by its authors' own headers.
template <std::size_t kError>
struct Pgm {
    SortedArray array;
    pgm::PGMIndex<Key, kError> model;
    void load(const std::vector<Entry>& entries) {
        array.load(entries);
        model = pgm::PGMIndex<Key, kError>(array.keys.begin(), array.keys.end());
    }
    const Value* find(Key key) const {
        const auto near = model.search(key);
        const auto begin = array.keys.begin();
        const auto end = begin + static_cast<std::ptrdiff_t>(near.hi);
        const auto at = std::lower_bound(begin + static_cast<std::ptrdiff_t>(near.lo), end, key);
        return at == end || *at != key ? nullptr : &array.values[static_cast<std::size_t>(at - begin)];
    }
};
#endif

template <bool kHugePages>
struct AlexIndex {
    alex::Alex index{alex::Alex::Options{kHugePages, {}}};
    void load(const std::vector<Entry>& entries) { index.bulk_load(entries); }
    const Value* find(Key key) const { return index.find(key); }
};

}  // namespace bench
