// Timing side by side: every repetition runs every contestant in an order of its own, ratios are taken within a
// repetition.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace bench {

inline std::uint64_t now_ns() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
}

/// Seconds per operation of one run, in ns.
template <typename Work>
double ns_each(std::size_t operations, Work work) {
    const std::uint64_t begun = now_ns();
    work();
    return static_cast<double>(now_ns() - begun) / static_cast<double>(operations);
}

/// 0 to count - 1 in an order drawn anew, so that no contestant always follows the same one.
inline std::vector<std::size_t> shuffled(std::size_t count, std::mt19937_64& random) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    return order;
}

inline double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// How often the second is as slow as the first, repetition by repetition.
inline double median_ratio(const std::vector<double>& first, const std::vector<double>& second) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < first.size(); ++i) ratios.push_back(first[i] / second[i]);
    return median(ratios);
}

}  // namespace bench
