// ALEX, an updatable adaptive learned index, after the description in Ding et al., SIGMOD 2020.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alex/arena.hpp"
#include "alex/gapped.hpp"
#include "alex/nodes.hpp"
#include "alex/plan.hpp"
#include "alex/search.hpp"

namespace alex {

struct Shape {
    std::size_t leaves = 0;
    std::size_t inner_nodes = 0;
    std::size_t depth = 0;  // inner nodes on the longest way
    double mean_depth = 0;  // over entries
    double mean_steps = 0;  // doublings of the search in the leaf, over entries
};

struct Memory {
    std::size_t in_use = 0;   // nodes, entries and gaps
    std::size_t waiting = 0;  // freed by the index, not yet used again
    std::size_t total = 0;    // all of it, with the object itself
};

/// A map from 64-bit keys to 64-bit values. One value a key: a second insert of a key is refused, put
/// overwrites. Every unsigned key is allowed; for signed keys see signed_key.hpp. Not safe for use by several
/// threads.
class Alex {
  public:
    struct Options {
        bool huge_pages = false;
        Costs costs;
    };

    Alex() : Alex(Options{}) {}
    explicit Alex(Options options);
    Alex(const Alex&) = delete;
    Alex& operator=(const Alex&) = delete;

    /// Fills an empty index. Throws std::invalid_argument unless keys rise strictly and the index is empty.
    void bulk_load(Entries entries);

    /// The value of a key; nullptr if there is none. Valid until the next change.
    const Value* find(Key key) const {
        if (key == kNoKey) [[unlikely]]
            return last_ ? &*last_ : nullptr;
        const Entry* entry = alex::find(*leaf_of(key), key);
        return entry == nullptr ? nullptr : &entry->value;
    }

    /// The leaf that holds a key if anything does.
    const Leaf* leaf_of(Key key) const {
        Node node = root_;
        while (!node.is_leaf()) node = node.inner()->child(key);
        return node.leaf();
    }

    /// False, and nothing changed, if the key is present.
    bool insert(Key key, Value value);
    /// True if the key is new.
    bool put(Key key, Value value);
    /// False if the key is absent.
    bool erase(Key key);

    /// Visits entries in key order from the first key >= from on, until visit gives false.
    template <typename Visit>
    void scan(Key from, Visit visit) const;

    std::size_t size() const { return size_; }
    Memory memory() const;
    Shape shape() const;

    /// Walks everything; the first broken invariant in words, or nothing.
    std::optional<std::string> check() const;

  private:
    struct Place {
        Inner* parent = nullptr;
        std::size_t slot = 0;
        Leaf* leaf = nullptr;
    };
    struct Slots {
        std::size_t first, end;
    };

    Place place_of(Key key) const;
    Node build(Entries entries, bool must_divide, unsigned max_fanout_bits, Leaf*& previous);
    Leaf* new_leaf(std::size_t lines);
    Inner* new_inner(Key low, std::uint32_t shift, std::size_t fanout);
    void resize(Leaf& leaf, std::size_t lines);
    void refit(Leaf& leaf, Entries entries, std::size_t lines);

    void free_tree();
    static bool appends(const Leaf& leaf, Key key);
    static bool has_room(const Leaf& leaf, Key key);
    void make_room(const Place& place, Key key);
    void resize_in_place(Leaf& leaf, std::size_t lines);
    void divide(const Place& place, Key key);
    void divide_sideways(Inner& parent, Leaf& leaf, Slots slots, Key key);
    void divide_down(const Place& place);
    void widen(Inner& parent, const Place& place, Key key);
    void double_slots(Inner& parent);
    void replace_children(Inner& parent, std::size_t fanout, std::size_t at);
    static Slots slots_of(const Inner& parent, std::size_t slot);

    Options options_;
    Arena nodes_;  // of their own, so that small blocks do not divide the space of large ones
    Arena arrays_;
    Node root_;
    Leaf* first_ = nullptr;
    std::size_t size_ = 0;
    std::optional<Value> last_;  // of the key that marks empty slots inside the tree
    std::vector<Entry> scratch_;
};

template <typename Visit>
void Alex::scan(Key from, Visit visit) const {
    if (from != kNoKey) {
        const Leaf* leaf = leaf_of(from);
        std::size_t slot = lower_bound(*leaf, from);
        for (; leaf != nullptr; leaf = leaf->next, slot = 0) {
            const std::size_t capacity = leaf->capacity();
            for (; slot < capacity && leaf->slots[slot].key != kNoKey; ++slot) {
                const Entry& entry = leaf->slots[slot];
                if (slot + 1 < capacity && leaf->slots[slot + 1].key == entry.key) continue;
                if (!visit(entry.key, entry.value)) return;
            }
        }
    }
    if (last_) visit(kNoKey, *last_);
}

}  // namespace alex
