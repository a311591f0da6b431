// What is compared: each holds the same entries and answers find with a pointer to the value.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "alex/alex.hpp"

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

template <bool kHugePages>
struct AlexIndex {
    alex::Alex index{alex::Alex::Options{kHugePages, {}}};
    void load(const std::vector<Entry>& entries) { index.bulk_load(entries); }
    const Value* find(Key key) const { return index.find(key); }
};

}  // namespace bench
