#include "probe/pattern.hpp"

#include <algorithm>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace kv {
namespace {

/// A step that visits all of n numbers before one comes again.
std::uint64_t coprime_near_golden(std::uint64_t n) {
    auto step = static_cast<std::uint64_t>(static_cast<double>(n) * 0.6180339887498949);
    while (step == 0 || std::gcd(step, n) != 1) ++step;
    return step;
}

}  // namespace

Zipf::Zipf(std::uint64_t n, double exponent)
    : n_(n),
      exponent_(exponent),
      low_(integral(1.5) - 1),
      high_(integral(static_cast<double>(n) + 0.5)),
      accept_(2 - inverse(integral(2.5) - weight(2))) {}

std::uint64_t Zipf::operator()(std::mt19937_64& random) const {
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    for (;;) {
        const double u = high_ + unit(random) * (low_ - high_);
        const double x = inverse(u);
        const double rank = std::min(std::max(std::floor(x + 0.5), 1.0), static_cast<double>(n_));
        if (rank - x <= accept_ || u >= integral(rank + 0.5) - weight(rank))
            return static_cast<std::uint64_t>(rank);
    }
}

double Zipf::weight(double x) const { return std::exp(-exponent_ * std::log(x)); }

double Zipf::integral(double x) const {
    const double log = std::log(x);
    const double t = (1 - exponent_) * log;
    return std::abs(t) < 1e-8 ? log * (1 + t / 2) : std::expm1(t) / (1 - exponent_);
}

double Zipf::inverse(double y) const {
    const double t = std::max((1 - exponent_) * y, -1.0);
    return std::exp(std::abs(t) < 1e-8 ? y * (1 - t / 2) : std::log1p(t) / (1 - exponent_));
}

double take_exponent(Json& from) {
    const double exponent = take<double>(from, "exponent", 0);
    if (!(exponent > 0 && exponent < 20)) throw Refused("exponent must lie between 0 and 20");
    return exponent;
}

Pattern take_pattern(Json& from) {
    Pattern pattern;
    pattern.law = take_one_of(from, "law", "", {"stride", "uniform", "zipf"});
    if (pattern.law == "stride") pattern.stride = take_at_least(from, "stride", 0, 1);
    if (pattern.law == "zipf") pattern.exponent = take_exponent(from);
    return pattern;
}

Draws::Draws(const Pattern& pattern, std::uint64_t rows, std::mt19937_64& random, bool shifting)
    : pattern_(pattern),
      rows_(rows),
      random_(random),
      shifting_(shifting),
      zipf_(rows, pattern.exponent),
      step_(coprime_near_golden(rows)) {}

void Draws::next(std::span<std::uint64_t> into) {
    if (pattern_.law == "stride") {
        for (std::uint64_t& each : into) {
            each = row_;
            row_ += pattern_.stride % rows_;
            if (row_ < rows_) continue;
            row_ -= rows_;
            if (!shifting_) continue;
            first_ = (first_ + 1) % std::min(pattern_.stride, rows_);
            row_ = first_;
        }
    } else if (pattern_.law == "uniform") {
        std::uniform_int_distribution<std::uint64_t> law(0, rows_ - 1);
        for (std::uint64_t& each : into) each = law(random_);
    } else {
        const auto step = static_cast<unsigned __int128>(step_);
        for (std::uint64_t& each : into) {
            each = static_cast<std::uint64_t>((zipf_(random_) - 1) * step % rows_);
        }
    }
}

}  // namespace kv
