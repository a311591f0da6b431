// One leaf: models are sound for any key, layouts keep all entries, changes in place keep the order.
#include "alex/gapped.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "alex/search.hpp"

namespace alex {
namespace {

struct OwnLeaf : Leaf {
    explicit OwnLeaf(std::size_t lines) : storage(lines * kLineSlots) {
        model.lines = static_cast<std::uint32_t>(lines);
        slots = storage.data();
        lay_out(*this, {});
    }
    std::vector<Entry> storage;
};

std::vector<Entry> entries_of(const std::vector<Key>& keys) {
    std::vector<Entry> result;
    for (const Key key : keys) result.push_back({key, key * 3 + 1});
    return result;
}

TEST(Model, PredictsALineForEveryKey) {
    const std::vector<std::vector<Key>> sets{{0},
                                             {kNoKey - 1},
                                             {0, kNoKey - 1},
                                             {0, 1, 2, 3},
                                             {kNoKey - 3, kNoKey - 2, kNoKey - 1},
                                             {0, 1, Key{1} << 63},
                                             {5, 6, 7, kNoKey - 1},
                                             {0, kNoKey - 3, kNoKey - 2, kNoKey - 1}};
    for (const auto& keys : sets) {
        for (const std::size_t lines : {1, 2, 7, 2048}) {
            const auto entries = entries_of(keys);
            const Model model = fit(entries, lines);
            std::size_t before = 0;
            for (const Key key :
                 {Key{0}, Key{1}, Key{1} << 32, (Key{1} << 63) - 1, Key{1} << 63, kNoKey - 1, kNoKey}) {
                EXPECT_LT(model.line(key), lines);
                EXPECT_GE(model.line(key), before) << "a model must not fall";
                before = model.line(key);
            }
        }
    }
}

TEST(Model, FollowsAStraightLine) {
    std::vector<Key> keys;
    for (Key i = 0; i < 3000; ++i) keys.push_back(7'000'000'000'000 + 1000 * i);
    const auto entries = entries_of(keys);
    EXPECT_EQ(search_steps(entries, fit(entries, 1000)), 0);
}

TEST(Gapped, AgreesWithAnOrderedMap) {
    std::mt19937_64 random(11);
    for (int round = 0; round < 200; ++round) {
        OwnLeaf leaf(1 + random() % 40);
        const Key range = round % 3 == 0 ? 500 : round % 3 == 1 ? 100'000 : kNoKey;
        std::map<Key, Value> expected;
        std::vector<Key> first;
        while (expected.size() < leaf.capacity() / 2) expected.try_emplace(random() % range, random());
        std::vector<Entry> entries;
        for (const auto& [key, value] : expected) entries.push_back({key, value});
        leaf.model = fit(entries, leaf.model.lines);
        lay_out(leaf, entries);
        for (int i = 0; i < 400; ++i) {
            const Key key = random() % range;
            const std::size_t slot = lower_bound(leaf, key);
            const bool present = slot < leaf.capacity() && leaf.slots[slot].key == key;
            ASSERT_EQ(present, expected.contains(key));
            ASSERT_EQ(find(leaf, key) != nullptr, present);
            if (present && random() % 2 == 0) {
                erase_at(leaf, slot);
                expected.erase(key);
            } else if (present) {
                update_at(leaf, slot, i);
                expected[key] = i;
            } else if (expected.size() < leaf.capacity()) {
                ASSERT_NE(insert_at(leaf, slot, {key, key}), kFull);
                expected[key] = key;
            } else {
                ASSERT_EQ(insert_at(leaf, slot, {key, key}), kFull) << "a full leaf takes nothing";
            }
            std::vector<Entry> held;
            collect(leaf, held);
            ASSERT_EQ(held.size(), expected.size());
            ASSERT_EQ(leaf.count, expected.size());
            auto at = held.begin();
            for (const auto& [each, value] : expected) {
                ASSERT_EQ(*at++, (Entry{each, value}));
                ASSERT_EQ(find(leaf, each)->value, value);
            }
        }
    }
}

}  // namespace
}  // namespace alex
