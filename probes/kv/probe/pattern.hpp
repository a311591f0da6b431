// Which rows are asked for: fixed stride, uniform, or Zipf with the popular rows scattered.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>

#include "engines/options.hpp"

namespace kv {

struct Pattern {
    std::string law;  // "stride", "uniform" or "zipf"
    std::uint64_t stride = 0;
    double exponent = 0;
};

/// Zipf ranks in [1, n] by rejection-inversion (Hoermann & Derflinger 1996); exact for any exponent above 0.
class Zipf {
  public:
    Zipf(std::uint64_t n, double exponent);
    std::uint64_t operator()(std::mt19937_64& random) const;

  private:
    double weight(double x) const;
    double integral(double x) const;
    double inverse(double y) const;

    std::uint64_t n_;
    double exponent_, low_, high_, accept_;
};

/// Of a Zipf law; throws Refused for one that is none.
double take_exponent(Json& from);

Pattern take_pattern(Json& from);

/// Rows as a law asks for them, without an end: what is drawn later goes on where the last draw ended.
class Draws {
  public:
    /// shifting: a stride that has passed the last row begins again one row further, so that many passes ask
    /// for every row before one comes again.
    Draws(const Pattern& pattern, std::uint64_t rows, std::mt19937_64& random, bool shifting = false);

    /// The next rows, each in [0, rows). Strides wrap around.
    void next(std::span<std::uint64_t> into);

  private:
    Pattern pattern_;
    std::uint64_t rows_;
    std::mt19937_64& random_;
    bool shifting_;
    std::uint64_t row_ = 0, first_ = 0;  // of a stride: the next one, and the one with which its pass began
    Zipf zipf_;
    std::uint64_t step_;
};

}  // namespace kv
