// The whole index against std::map, for key sets that a model finds easy, hard or impossible.
#include "alex/alex.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "alex/signed_key.hpp"

namespace alex {
namespace {

using Reference = std::map<Key, Value>;

void expect_same(const Alex& index, const Reference& expected) {
    ASSERT_EQ(index.check(), std::nullopt);
    ASSERT_EQ(index.size(), expected.size());
    auto at = expected.begin();
    index.scan(0, [&](Key key, Value value) {
        EXPECT_TRUE(at != expected.end() && at->first == key && at->second == value);
        if (at == expected.end()) return false;
        ++at;
        return true;
    });
    EXPECT_EQ(at, expected.end());
    for (const auto& [key, value] : expected) {
        const Value* found = index.find(key);
        ASSERT_NE(found, nullptr);
        ASSERT_EQ(*found, value);
    }
}

std::vector<Entry> sorted(const Reference& map) {
    std::vector<Entry> result;
    for (const auto& [key, value] : map) result.push_back({key, value});
    return result;
}

/// Draws keys of one kind; kinds differ in what a linear model can do with them.
Key draw(int kind, std::mt19937_64& random) {
    switch (kind) {
        case 0:
            return random();
        case 1:
            return random() % 3000;
        case 2:
            return Key{1} << (random() % 64) | (random() % 4);
        case 3:
            return kNoKey - random() % 5000;
        case 4:
            return (random() % 20 << 58) + (Key{1} << (random() % 40)) + random() % 7;
        default:
            return from_signed(static_cast<std::int64_t>(random() % 20001) - 10000);
    }
}
constexpr int kKinds = 6;

TEST(Alex, IsEmptyAtFirst) {
    Alex index;
    EXPECT_EQ(index.size(), 0u);
    for (const Key key : {Key{0}, Key{1}, Key{1} << 63, kNoKey - 1, kNoKey}) {
        EXPECT_EQ(index.find(key), nullptr);
        EXPECT_FALSE(index.erase(key));
    }
    index.bulk_load({});
    expect_same(index, {});
}

TEST(Alex, HoldsTheExtremes) {
    Alex index;
    Reference expected;
    for (const Key key : {kNoKey, Key{0}, kNoKey - 1, Key{1}, Key{1} << 63, (Key{1} << 63) - 1}) {
        EXPECT_TRUE(index.insert(key, key ^ 5));
        EXPECT_FALSE(index.insert(key, 0)) << "a second insert of a key is refused";
        expected[key] = key ^ 5;
        expect_same(index, expected);
    }
    for (const Key key : {kNoKey, Key{0}}) {
        EXPECT_FALSE(index.put(key, 9));
        expected[key] = 9;
    }
    expect_same(index, expected);
    while (!expected.empty()) {
        EXPECT_TRUE(index.erase(expected.begin()->first));
        EXPECT_FALSE(index.erase(expected.begin()->first));
        expected.erase(expected.begin());
        expect_same(index, expected);
    }
}

TEST(Alex, OrdersSignedKeys) {
    Alex index;
    const std::vector<std::int64_t> keys{INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
    for (auto at = keys.rbegin(); at != keys.rend(); ++at) index.insert(from_signed(*at), 1);
    std::vector<std::int64_t> seen;
    index.scan(0, [&](Key key, Value) {
        seen.push_back(to_signed(key));
        return true;
    });
    EXPECT_EQ(seen, keys);
}

TEST(Alex, RefusesUnsortedAndRepeatedKeys) {
    const std::vector<Entry> repeated{{1, 0}, {1, 0}};
    const std::vector<Entry> falling{{2, 0}, {1, 0}};
    Alex index;
    EXPECT_THROW(index.bulk_load(repeated), std::invalid_argument);
    EXPECT_THROW(index.bulk_load(falling), std::invalid_argument);
    index.insert(1, 1);
    EXPECT_THROW(index.bulk_load({}), std::invalid_argument) << "only an empty index can be loaded";
}

TEST(Alex, LoadsWhatWasGiven) {
    std::mt19937_64 random(3);
    for (int kind = 0; kind < kKinds; ++kind) {
        for (const std::size_t n : {1, 2, 5, 100, 7000, 60'000}) {
            Reference expected;
            for (std::size_t i = 0; i < n; ++i) expected.try_emplace(draw(kind, random), random());
            Alex index;
            index.bulk_load(sorted(expected));
            expect_same(index, expected);
            for (int i = 0; i < 1000; ++i) {
                const Key key = draw(kind, random) + random() % 2;
                ASSERT_EQ(index.find(key) != nullptr, expected.contains(key));
            }
        }
    }
}

TEST(Alex, AgreesWithAMapUnderRandomOperations) {
    for (int kind = 0; kind < kKinds; ++kind) {
        std::mt19937_64 random(100 + kind);
        Alex index;
        Reference expected;
        if (kind % 2 == 0) {
            for (int i = 0; i < 9000; ++i) expected.try_emplace(draw(kind, random), random());
            index.bulk_load(sorted(expected));
        }
        for (int i = 0; i < 60'000; ++i) {
            const Key key = draw(kind, random);
            const Value value = random();
            // Long phases of growth and of shrinking, so that leaves divide and contract.
            const unsigned choice = random() % 10;
            const bool growing = (i / 15'000) % 2 == 0;
            if (choice < (growing ? 6 : 2)) {
                ASSERT_EQ(index.insert(key, value), expected.try_emplace(key, value).second);
            } else if (choice < (growing ? 7 : 3)) {
                ASSERT_EQ(index.put(key, value), !expected.contains(key));
                expected[key] = value;
            } else if (choice < (growing ? 8 : 9)) {
                const auto at = expected.lower_bound(key);
                const Key victim = at == expected.end() ? key : at->first;
                ASSERT_EQ(index.erase(victim), expected.erase(victim) == 1);
            } else {
                auto at = expected.lower_bound(key);
                int left = 50;
                index.scan(key, [&](Key found, Value its) {
                    EXPECT_TRUE(at != expected.end() && at->first == found && at->second == its);
                    ++at;
                    return --left > 0;
                });
            }
            if (i % 5000 == 0) {
                expect_same(index, expected);
            }
        }
        expect_same(index, expected);
    }
}

TEST(Alex, GrowsInBothDirectionsAndFromTheMiddle) {
    constexpr Key kMiddle = Key{1} << 40;
    for (int order = 0; order < 4; ++order) {
        Alex index;
        Reference expected;
        SCOPED_TRACE("order " + std::to_string(order));
        for (Key i = 0; i < 200'000; ++i) {
            const Key key = order == 0   ? i
                            : order == 1 ? 200'000 - i
                            : order == 2 ? (i % 2 == 0 ? kMiddle + i : kMiddle - i)
                                         : kMiddle + (i % 16) * 1'000'000 + i / 16;
            ASSERT_TRUE(index.insert(key, i));
            expected[key] = i;
        }
        expect_same(index, expected);
        EXPECT_LE(index.shape().depth, 4u) << "order " << order;
        EXPECT_LE(static_cast<double>(index.memory().in_use), 30.0 * 200'000) << "order " << order;
    }
}

TEST(Alex, GivesMemoryBackToItself) {
    Alex index;
    std::mt19937_64 random(5);
    std::vector<Key> keys;
    for (int i = 0; i < 50'000; ++i) keys.push_back(random());
    for (const Key key : keys) index.insert(key, 1);
    const std::size_t full = index.memory().in_use;
    for (const Key key : keys) index.erase(key);
    ASSERT_EQ(index.check(), std::nullopt);
    EXPECT_LT(index.memory().in_use, full / 4);
    const std::size_t total = index.memory().total;
    for (int round = 0; round < 5; ++round) {
        for (const Key key : keys) index.insert(key, 2);
        for (const Key key : keys) index.erase(key);
    }
    EXPECT_LE(index.memory().total, 2 * total) << "waiting blocks are used again";
}

}  // namespace
}  // namespace alex
