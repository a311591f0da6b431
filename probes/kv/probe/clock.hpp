// The clock, and what reading it costs.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace kv {

inline std::uint64_t now_ns() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
}

/// Mean time between two readings of the clock, the least of many short series: what each timed part holds of
/// it.
inline double timer_ns() {
    double best = 1e9;
    for (int series = 0; series < 200; ++series) {
        constexpr int kReadings = 100;
        const std::uint64_t begun = now_ns();
        for (int i = 0; i < kReadings - 1; ++i) static_cast<void>(now_ns());
        best = std::min(best, static_cast<double>(now_ns() - begun) / kReadings);
    }
    return best;
}

/// Seconds that some work takes.
template <typename Work>
double seconds_of(Work work) {
    const std::uint64_t begun = now_ns();
    work();
    return static_cast<double>(now_ns() - begun) / 1e9;
}

}  // namespace kv
