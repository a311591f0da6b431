// Uniform look-ups in each engine, side by side in one process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

/// rows of 100 bytes; prints one line an engine. Every engine is loaded in batches, settled and warmed first.
void engines(std::uint64_t rows, std::size_t repetitions, std::uint64_t seed);

}  // namespace bench
