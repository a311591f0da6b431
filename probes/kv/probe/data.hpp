// Which keys are stored, with which values: computed from a row number, so that any read can be checked.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "engines/options.hpp"

namespace kv {

/// A bijection of 64-bit numbers that looks random (splitmix64).
inline std::uint64_t scatter(std::uint64_t number) {
    number += 0x9E3779B97F4A7C15u;
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9u;
    number = (number ^ number >> 27) * 0x94D049BB133111EBu;
    return number ^ number >> 31;
}

struct Data {
    std::uint64_t rows;
    bool random_keys;           // else key = row number
    std::uint64_t value_bytes;  // 0: "value_<key>"
    std::uint64_t seed;

    /// Different rows have different keys.
    std::uint64_t key(std::uint64_t row) const { return random_keys ? scatter(row ^ scatter(seed)) : row; }

    /// A key that no row has, one for each row: with sequential keys those behind the last.
    std::uint64_t absent_key(std::uint64_t row) const { return key(rows + row); }

    /// version: how often the row was overwritten.
    void value(std::uint64_t key, std::string& into, std::uint64_t version = 0) const {
        if (value_bytes == 0) {
            into = "value_";
            into += random_keys ? std::to_string(static_cast<std::int64_t>(key)) : std::to_string(key);
            if (version > 0) into += "_" + std::to_string(version);
            return;
        }
        into.resize(value_bytes);
        std::uint64_t state = key ^ seed ^ (version > 0 ? scatter(version) : 0);
        for (std::size_t at = 0; at < value_bytes; at += 8) {
            state = scatter(state);
            std::memcpy(into.data() + at, &state, std::min<std::size_t>(8, value_bytes - at));
        }
    }
};

}  // namespace kv
