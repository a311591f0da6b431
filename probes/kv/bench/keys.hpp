// Key sets for the benchmark: sorted, distinct, made from a seed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace bench {

using Keys = std::vector<std::uint64_t>;

inline void make_distinct(Keys& keys) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

/// Draws until there are n different keys.
template <typename Draw>
Keys distinct(std::size_t n, std::mt19937_64& random, Draw draw) {
    Keys keys;
    while (keys.size() < n) {
        const std::size_t missing = n - keys.size();
        for (std::size_t i = 0; i < missing; ++i) keys.push_back(draw(random));
        make_distinct(keys);
    }
    return keys;
}

/// 0, 1, 2, ...
inline Keys sequential(std::size_t n) {
    Keys keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = i;
    return keys;
}

/// Uniform over all 64-bit numbers.
inline Keys uniform(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    return distinct(n, random, [](auto& source) { return source(); });
}

/// exp(N(0, 2)) times 1e9, cut to a whole number.
inline Keys lognormal(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::lognormal_distribution<double> law(0.0, 2.0);
    return distinct(n, random, [&](auto& source) {
        return static_cast<std::uint64_t>(std::min(law(source) * 1e9, 9e18));
    });
}

/// Locally hard: clusters of about 1,000 keys at uniform places; within a cluster the gap to the next key is
/// 2^u with u uniform in [0, 30], so that no stretch of a few keys is linear on any scale.
inline Keys clustered(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> exponent(0.0, 30.0);
    std::geometric_distribution<int> size(1.0 / 1000);
    Keys keys;
    while (keys.size() < n) {
        while (keys.size() < n) {
            std::uint64_t key = random();
            for (int left = size(random) + 1; left > 0 && keys.size() < n; --left) {
                keys.push_back(key);
                key += static_cast<std::uint64_t>(std::exp2(exponent(random)));
            }
        }
        make_distinct(keys);
    }
    return keys;
}

inline Keys named(const std::string& name, std::size_t n, std::uint64_t seed) {
    if (name == "sequential") return sequential(n);
    if (name == "random") return uniform(n, seed);
    if (name == "lognormal") return lognormal(n, seed);
    if (name == "clustered") return clustered(n, seed);
    return {};
}

}  // namespace bench
