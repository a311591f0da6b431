#include "engines/note_trees.hpp"

#include <algorithm>

#include "engines/note_leaf.hpp"

namespace kv {
namespace {

using Values = std::vector<std::uint64_t>;

/// Position of the last least key <= key; the first one also takes what lies below it.
std::size_t child_of(const std::uint64_t* least, std::size_t count, std::uint64_t key) {
    const auto above = std::upper_bound(least, least + count, key);
    return above == least ? 0 : static_cast<std::size_t>(above - least) - 1;
}

class NoteTree : public Index {
  public:
    void load(const std::vector<alex::Entry>& entries) override {
        leaves_.clear();
        least_.clear();
        for (std::size_t first = 0; first < entries.size(); first += leaf_keys_) {
            const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(first);
            const std::size_t count = std::min(leaf_keys_, entries.size() - first);
            leaves_.emplace_back(std::vector<alex::Entry>(begin, begin + static_cast<std::ptrdiff_t>(count)));
            least_.push_back(begin->key);
        }
        if (leaves_.empty()) start();
        loaded();
    }
    std::optional<std::uint64_t> get(std::uint64_t key) const override {
        return leaves_[leaf_of(key)].get(key);
    }
    std::optional<std::size_t> bytes() const override {
        std::size_t all = least_.capacity() * sizeof least_[0];
        for (const NoteLeaf& leaf : leaves_) all += leaf.bytes();
        return all;
    }
    bool values_from(std::uint64_t from, std::size_t limit, Values& values) const override {
        for (std::size_t at = leaf_of(from); at < leaves_.size() && values.size() < limit; ++at) {
            leaves_[at].values_from(from, limit, values);
        }
        return true;
    }
    Json shape() const override { return {{"leaves", leaves_.size()}}; }

  protected:
    explicit NoteTree(std::size_t leaf_keys) : leaf_keys_(leaf_keys) { start(); }
    virtual std::size_t leaf_of(std::uint64_t key) const = 0;
    virtual void loaded() {}

    std::vector<NoteLeaf> leaves_;
    std::vector<std::uint64_t> least_;

  private:
    void start() {
        leaves_.emplace_back(std::vector<alex::Entry>{}, 2 * leaf_keys_);
        least_.push_back(0);
    }
    std::size_t leaf_keys_;
};

class NoteFlat : public NoteTree {
  public:
    NoteFlat() : NoteTree(100) {}

    void put(std::uint64_t key, std::uint64_t value) override {
        const std::size_t at = leaf_of(key);
        if (leaves_[at].put(key, value)) return;
        const std::vector<alex::Entry> all = leaves_[at].entries();
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
        const std::vector<alex::Entry> right(middle, all.end());
        leaves_[at] = NoteLeaf(std::vector<alex::Entry>(all.begin(), middle));
        leaves_.emplace(leaves_.begin() + static_cast<std::ptrdiff_t>(at) + 1, right);
        least_.insert(least_.begin() + static_cast<std::ptrdiff_t>(at) + 1, right.front().key);
        put(key, value);
    }

  private:
    std::size_t leaf_of(std::uint64_t key) const override {
        return child_of(least_.data(), least_.size(), key);
    }
};

class NoteLevels : public NoteTree {
  public:
    NoteLevels() : NoteTree(64) {}

    void put(std::uint64_t key, std::uint64_t value) override {
        NoteLeaf& leaf = leaves_[leaf_of(key)];
        if (leaf.put(key, value)) return;
        leaf = NoteLeaf(leaf.entries());
        leaf.put(key, value);
    }

  private:
    static constexpr std::size_t kFanout = 64;

    /// levels_[0] lists the least key of every 64th leaf, the next that of every 64th of those, up to one
    /// node.
    void loaded() override {
        levels_.clear();
        const std::vector<std::uint64_t>* below = &least_;
        while (below->size() > kFanout) {
            std::vector<std::uint64_t> level;
            for (std::size_t at = 0; at < below->size(); at += kFanout) level.push_back((*below)[at]);
            levels_.push_back(std::move(level));
            below = &levels_.back();
        }
    }

    std::size_t leaf_of(std::uint64_t key) const override {
        std::size_t node = 0;
        for (std::size_t level = levels_.size() + 1; level-- > 0;) {
            const std::vector<std::uint64_t>& least = level == 0 ? least_ : levels_[level - 1];
            const std::size_t first = node * kFanout;
            node = first + child_of(least.data() + first, std::min(kFanout, least.size() - first), key);
        }
        return node;
    }

    std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace

std::unique_ptr<Index> make_note_flat() { return std::make_unique<NoteFlat>(); }
std::unique_ptr<Index> make_note_levels() { return std::make_unique<NoteLevels>(); }

}  // namespace kv
