#include "alex/simd.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace alex {
namespace {

using Find = const Value* (*)(const Alex&, Key);

const Value* plain(const Alex& index, Key key) { return index.find(key); }

/// What remains to be done once the predicted line is known not to hold the key.
const Value* elsewhere(const Leaf& leaf, std::size_t line, Key key, bool right) {
    const Entry* entry = find_elsewhere(leaf, line, key, right);
    return entry == nullptr ? nullptr : &entry->value;
}

#if defined(__x86_64__)

__attribute__((target("avx512f"))) const Value* avx512(const Alex& index, Key key) {
    if (key == kNoKey) [[unlikely]]
        return index.find(key);
    const Leaf& leaf = *index.leaf_of(key);
    const std::size_t line = leaf.model.line(key);
    const Entry* slots = leaf.slots + line * kLineSlots;
    constexpr unsigned kKeys = 0b01010101;  // the other lanes are values
    const __m512i held = _mm512_load_si512(slots);
    const __m512i wanted = _mm512_set1_epi64(static_cast<long long>(key));
    const unsigned equal = _mm512_cmpeq_epu64_mask(held, wanted) & kKeys;
    if (equal != 0) [[likely]]
        return &slots[__builtin_ctz(equal) / 2].value;
    const unsigned less = _mm512_cmplt_epu64_mask(held, wanted) & kKeys;
    if (less == kKeys) return elsewhere(leaf, line, key, true);
    if (less == 0) return elsewhere(leaf, line, key, false);
    return nullptr;
}

__attribute__((target("avx2"))) const Value* avx2(const Alex& index, Key key) {
    if (key == kNoKey) [[unlikely]]
        return index.find(key);
    const Leaf& leaf = *index.leaf_of(key);
    const std::size_t line = leaf.model.line(key);
    const Entry* slots = leaf.slots + line * kLineSlots;
    const auto* halves = reinterpret_cast<const __m256i*>(slots);
    // Keys of both halves side by side, in the order 0 2 1 3.
    const __m256i keys = _mm256_unpacklo_epi64(_mm256_load_si256(halves), _mm256_load_si256(halves + 1));
    const __m256i equal = _mm256_cmpeq_epi64(keys, _mm256_set1_epi64x(static_cast<long long>(key)));
    const auto mask = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(equal)));
    constexpr unsigned char kOrder[4] = {0, 2, 1, 3};
    if (mask != 0) [[likely]]
        return &slots[kOrder[__builtin_ctz(mask)]].value;
    if (slots[3].key < key) return elsewhere(leaf, line, key, true);
    if (slots[0].key >= key) return elsewhere(leaf, line, key, false);
    return nullptr;
}

struct Choice {
    Find find;
    const char* name;
};

Choice choose() {
    if (__builtin_cpu_supports("avx512f")) return {avx512, "avx512"};
    if (__builtin_cpu_supports("avx2")) return {avx2, "avx2"};
    return {plain, "none"};
}
#else
struct Choice {
    Find find;
    const char* name;
};

Choice choose() { return {plain, "none"}; }
#endif

const Choice chosen = choose();

}  // namespace

const Value* find_simd(const Alex& index, Key key) { return chosen.find(index, key); }

const char* simd_in_use() { return chosen.name; }

}  // namespace alex
