// CRC-32C (Castagnoli), with the processor's instruction where there is one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kv {

std::uint32_t crc32c(const void* bytes, std::size_t size);

/// The table method, which is what runs without the instruction; for comparison in tests.
std::uint32_t crc32c_portable(const void* bytes, std::size_t size);

}  // namespace kv
