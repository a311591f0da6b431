// The other ways to look up agree with the plain one.
#include "alex/simd.hpp"

#include <gtest/gtest.h>

#include <random>

#include "alex/batch.hpp"

namespace alex {
namespace {

TEST(OtherLookups, AgreeWithFind) {
    std::mt19937_64 random(4);
    for (const Key range : {Key{40'000}, Key{1} << 50, kNoKey}) {
        Alex index;
        for (int i = 0; i < 30'000; ++i) index.put(random() % range, random());
        index.put(kNoKey, 3);
        std::vector<Key> keys{0, kNoKey - 1, kNoKey};
        for (int i = 0; i < 50'000; ++i) keys.push_back(random() % range);
        index.scan(0, [&](Key key, Value) {
            keys.push_back(key);
            return true;
        });
        std::vector<const Value*> batched(keys.size());
        find_batch<8>(index, keys, batched);
        std::vector<const Value*> wider(keys.size());
        find_batch<32>(index, keys, wider);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const Value* expected = index.find(keys[i]);
            ASSERT_EQ(batched[i] == nullptr, expected == nullptr);
            ASSERT_EQ(wider[i], batched[i]);
            const Value* found = find_simd(index, keys[i]);
            ASSERT_EQ(found == nullptr, expected == nullptr);
            if (expected != nullptr) {
                ASSERT_EQ(*found, *expected);
                ASSERT_EQ(*batched[i], *expected);
            }
        }
    }
}

}  // namespace
}  // namespace alex
