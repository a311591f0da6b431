// Look-up with vector instructions: a whole line is compared at once. Chosen at run time.
#pragma once

#include "alex/alex.hpp"

namespace alex {

/// As Alex::find. Without AVX2 it is Alex::find.
const Value* find_simd(const Alex& index, Key key);

/// "avx512", "avx2" or "none": what find_simd uses on this processor.
const char* simd_in_use();

}  // namespace alex
