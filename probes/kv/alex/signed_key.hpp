// Signed keys in the order of unsigned ones.
#pragma once

#include <cstdint>

#include "alex/nodes.hpp"

namespace alex {

inline constexpr Key kSignBit = Key{1} << 63;

constexpr Key from_signed(std::int64_t key) { return static_cast<Key>(key) ^ kSignBit; }
constexpr std::int64_t to_signed(Key key) { return static_cast<std::int64_t>(key ^ kSignBit); }

}  // namespace alex
