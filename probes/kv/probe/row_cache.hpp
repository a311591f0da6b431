// The cache of whole rows that the note put before index and engine: least recently used goes first.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <list>
#include <string>

namespace kv {

class RowCache {
  public:
    explicit RowCache(std::size_t entries) : entries_(entries) {}

    const std::string* get(std::uint64_t key) {
        if (entries_ == 0) return nullptr;
        const auto at = places_.find(key);
        if (at == places_.end()) return nullptr;
        order_.splice(order_.begin(), order_, at->second);
        ++hits_;
        return &at->second->value;
    }

    void put(std::uint64_t key, const std::string& value) {
        if (entries_ == 0) return;
        if (order_.size() == entries_) {
            places_.erase(order_.back().key);
            order_.pop_back();
        }
        order_.push_front({key, value});
        places_[key] = order_.begin();
    }

    /// A row that was overwritten: the cache holds the new value if it held the old one.
    void wrote(std::uint64_t key, const std::string& value) {
        const auto at = places_.find(key);
        if (at != places_.end()) at->second->value = value;
    }

    std::uint64_t hits() const { return hits_; }

  private:
    struct CachedRow {
        std::uint64_t key;
        std::string value;
    };
    std::size_t entries_;
    std::uint64_t hits_ = 0;
    std::list<CachedRow> order_;
    absl::flat_hash_map<std::uint64_t, std::list<CachedRow>::iterator> places_;
};

}  // namespace kv
