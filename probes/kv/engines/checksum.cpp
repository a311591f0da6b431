#include "engines/checksum.hpp"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kv {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ 0x82F63B78u : value >> 1;
        table[i] = value;
    }
    return table;
}
constexpr auto kTable = make_table();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t with_instruction(const void* bytes, std::size_t size) {
    const auto* at = static_cast<const unsigned char*>(bytes);
    std::uint64_t value = ~std::uint32_t{0};
    for (; size >= 8; size -= 8, at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        value = _mm_crc32_u64(value, word);
    }
    auto rest = static_cast<std::uint32_t>(value);
    for (; size > 0; --size, ++at) rest = _mm_crc32_u8(rest, *at);
    return ~rest;
}
const bool has_instruction = __builtin_cpu_supports("sse4.2");
#endif

}  // namespace

std::uint32_t crc32c_portable(const void* bytes, std::size_t size) {
    const auto* at = static_cast<const unsigned char*>(bytes);
    std::uint32_t value = ~std::uint32_t{0};
    for (; size > 0; --size, ++at) value = value >> 8 ^ kTable[(value ^ *at) & 255];
    return ~value;
}

std::uint32_t crc32c(const void* bytes, std::size_t size) {
#if defined(__x86_64__)
    if (has_instruction) return with_instruction(bytes, size);
#endif
    return crc32c_portable(bytes, size);
}

}  // namespace kv
