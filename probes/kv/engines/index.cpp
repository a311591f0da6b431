#include "engines/index.hpp"

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <absl/hash/hash.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <new>

#include "alex/alex.hpp"
#include "alex/arena.hpp"
#include "alex/simd.hpp"
#include "engines/note_trees.hpp"

namespace kv {
namespace {

using Values = std::vector<std::uint64_t>;

template <bool kSimd>
class AlexIndex : public Index {
  public:
    explicit AlexIndex(bool huge_pages) : index_(alex::Alex::Options{huge_pages, {}}) {}
    void put(std::uint64_t key, std::uint64_t value) override { index_.put(key, value); }
    void load(const std::vector<alex::Entry>& entries) override { index_.bulk_load(entries); }
    std::optional<std::uint64_t> get(std::uint64_t key) const override {
        const alex::Value* value = kSimd ? alex::find_simd(index_, key) : index_.find(key);
        return value == nullptr ? std::nullopt : std::optional(*value);
    }
    std::optional<std::size_t> bytes() const override { return index_.memory().total; }
    bool values_from(std::uint64_t from, std::size_t limit, Values& values) const override {
        if (limit == 0) return true;
        index_.scan(from, [&](alex::Key, alex::Value value) {
            values.push_back(value);
            return values.size() < limit;
        });
        return true;
    }
    Json shape() const override {
        const alex::Shape shape = index_.shape();
        return {{"leaves", shape.leaves},
                {"inner_nodes", shape.inner_nodes},
                {"depth", shape.depth},
                {"mean_depth", shape.mean_depth},
                {"mean_steps", shape.mean_steps}};
    }

  private:
    alex::Alex index_;
};

class TreeIndex : public Index {
  public:
    void put(std::uint64_t key, std::uint64_t value) override { map_.insert_or_assign(key, value); }
    void load(const std::vector<alex::Entry>& entries) override {
        for (const alex::Entry& each : entries) map_.emplace_hint(map_.end(), each.key, each.value);
    }
    std::optional<std::uint64_t> get(std::uint64_t key) const override {
        const auto at = map_.find(key);
        return at == map_.end() ? std::nullopt : std::optional(at->second);
    }
    bool values_from(std::uint64_t from, std::size_t limit, Values& values) const override {
        for (auto at = map_.lower_bound(from); at != map_.end() && values.size() < limit; ++at) {
            values.push_back(at->second);
        }
        return true;
    }

  private:
    absl::btree_map<std::uint64_t, std::uint64_t> map_;
};

/// Memory from the heap; large pieces begin a huge page and ask for such.
template <typename T>
struct HugePages {
    using value_type = T;
    HugePages() = default;
    template <typename U>
    explicit HugePages(const HugePages<U>&) {}

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        if (bytes < alex::kHugePage) return static_cast<T*>(::operator new(bytes));
        void* start = ::operator new (bytes, std::align_val_t{alex::kHugePage});
        alex::ask_for_huge_pages(start, bytes / alex::kHugePage * alex::kHugePage);
        return static_cast<T*>(start);
    }
    void deallocate(T* start, std::size_t count) {
        if (count * sizeof(T) < alex::kHugePage) return ::operator delete(start);
        ::operator delete (start, std::align_val_t{alex::kHugePage});
    }
    friend bool operator==(const HugePages&, const HugePages&) { return true; }
};

using HashEntry = std::pair<const std::uint64_t, std::uint64_t>;

template <typename Memory>
class HashIndex : public Index {
  public:
    void put(std::uint64_t key, std::uint64_t value) override { map_[key] = value; }
    void load(const std::vector<alex::Entry>& entries) override {
        map_.reserve(entries.size());
        for (const alex::Entry& each : entries) map_.emplace(each.key, each.value);
    }
    std::optional<std::uint64_t> get(std::uint64_t key) const override {
        const auto at = map_.find(key);
        return at == map_.end() ? std::nullopt : std::optional(at->second);
    }
    bool values_from(std::uint64_t, std::size_t, Values&) const override { return false; }

  private:
    using Hash = absl::Hash<std::uint64_t>;
    using Equal = std::equal_to<std::uint64_t>;
    absl::flat_hash_map<std::uint64_t, std::uint64_t, Hash, Equal, Memory> map_;
};

/// A sorted array; single puts are for tests, they move half of it.
class SortedIndex : public Index {
  public:
    void put(std::uint64_t key, std::uint64_t value) override {
        const auto at = std::lower_bound(keys_.begin(), keys_.end(), key);
        const auto offset = at - keys_.begin();
        if (at != keys_.end() && *at == key) {
            values_[static_cast<std::size_t>(offset)] = value;
            return;
        }
        keys_.insert(at, key);
        values_.insert(values_.begin() + offset, value);
    }
    void load(const std::vector<alex::Entry>& entries) override {
        for (const alex::Entry& each : entries) {
            keys_.push_back(each.key);
            values_.push_back(each.value);
        }
    }
    std::optional<std::uint64_t> get(std::uint64_t key) const override {
        const auto at = std::lower_bound(keys_.begin(), keys_.end(), key);
        if (at == keys_.end() || *at != key) return std::nullopt;
        return values_[static_cast<std::size_t>(at - keys_.begin())];
    }
    std::optional<std::size_t> bytes() const override { return 8 * (keys_.capacity() + values_.capacity()); }
    bool values_from(std::uint64_t from, std::size_t limit, Values& values) const override {
        auto at =
            static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), from) - keys_.begin());
        for (; at < keys_.size() && values.size() < limit; ++at) values.push_back(values_[at]);
        return true;
    }

  private:
    std::vector<std::uint64_t> keys_;
    Values values_;
};

}  // namespace

std::unique_ptr<Index> make_index(const std::string& name) {
    if (name == "alex") return std::make_unique<AlexIndex<false>>(false);
    if (name == "alex_simd") return std::make_unique<AlexIndex<true>>(false);
    if (name == "alex_huge_pages") return std::make_unique<AlexIndex<false>>(true);
    if (name == "btree") return std::make_unique<TreeIndex>();
    if (name == "hash") return std::make_unique<HashIndex<std::allocator<HashEntry>>>();
    if (name == "hash_huge_pages") return std::make_unique<HashIndex<HugePages<HashEntry>>>();
    if (name == "sorted") return std::make_unique<SortedIndex>();
    if (name == "note_flat") return make_note_flat();
    if (name == "note_levels") return make_note_levels();
    throw Refused("index is \"" + name +
                  "\": use one of alex, alex_simd, alex_huge_pages, btree, hash, hash_huge_pages, sorted, "
                  "note_flat, note_levels, "
                  "none");
}

}  // namespace kv
