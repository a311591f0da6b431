// Which rows are asked for: fixed stride, uniform, or Zipf with the popular rows scattered.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engines/options.hpp"

namespace kv {

struct Pattern {
    std::string law;  // "stride", "uniform" or "zipf"
    std::uint64_t stride = 0;
    double exponent = 0;
};

Pattern take_pattern(Json& from);

/// Rows in [0, rows) for so many operations. Strides wrap around.
std::vector<std::uint64_t> draw(const Pattern& pattern, std::uint64_t rows, std::uint64_t operations,
                                std::mt19937_64& random);

}  // namespace kv
