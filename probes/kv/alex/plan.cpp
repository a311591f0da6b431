#include "alex/plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace alex {
namespace {

constexpr std::size_t kSmall = 24;  // fewer entries than this are not worth dividing
constexpr std::size_t kSample = 2048;

/// Cost of all look-ups in one leaf, each entry looked up once. More entries than a leaf holds are judged by
/// a sample, and charged for the inner node that they will need.
double leaf_cost(Entries entries, const Costs& costs) {
    if (entries.empty()) return 0;
    const auto n = static_cast<double>(entries.size());
    if (entries.size() > kMaxBuiltEntries) {
        std::vector<Entry> sample;
        const std::size_t stride = entries.size() / kSample;
        for (std::size_t i = 0; i < entries.size(); i += stride) sample.push_back(entries[i]);
        const Model model = fit(sample, lines_for(sample.size(), kBuiltDensity));
        return n * (costs.inner + costs.step * search_steps(sample, model)) + costs.leaf_bytes;
    }
    const Model model = fit(entries, lines_for(entries.size(), kBuiltDensity));
    return n * costs.step * search_steps(entries, model) + costs.leaf_bytes;
}

struct Division {
    Key low;
    unsigned bits;  // of the range of the keys

    /// Where each of the 2^level parts begins.
    std::vector<std::size_t> starts(Entries entries, unsigned level) const {
        const unsigned shift = bits - level;
        std::vector<std::size_t> result((std::size_t{1} << level) + 1, entries.size());
        std::size_t part = 0;
        result[0] = 0;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const std::size_t mine = shift >= 64 ? 0 : (entries[i].key - low) >> shift;
            while (part < mine) result[++part] = i;
        }
        return result;
    }
};

struct Level {
    std::vector<std::size_t> starts;
    std::vector<double> costs;
    double total = 0;
};

Level judge(Entries entries, const Division& division, unsigned level, const Costs& costs) {
    Level result{division.starts(entries, level), {}, 0};
    const std::size_t parts = std::size_t{1} << level;
    result.costs.reserve(parts);
    for (std::size_t i = 0; i < parts; ++i) {
        const std::size_t first = result.starts[i];
        result.costs.push_back(leaf_cost(entries.subspan(first, result.starts[i + 1] - first), costs));
        result.total += result.costs.back();
    }
    result.total +=
        static_cast<double>(entries.size()) * costs.inner + static_cast<double>(parts) * costs.pointer;
    return result;
}

/// Neighbours that cost no more together than apart become one child, level by level up the fanout tree.
std::vector<Part> merged(Entries entries, const Level& finest, unsigned level, const Costs& costs) {
    const std::size_t parts = std::size_t{1} << level;
    std::vector<Part> result;
    for (std::size_t i = 0; i < parts; ++i)
        result.push_back({i, i + 1, finest.starts[i], finest.starts[i + 1]});
    std::vector<double> cost = finest.costs;
    for (std::size_t width = 1; width < parts / 2; width *= 2) {
        std::vector<Part> wider;
        std::vector<double> wider_cost;
        for (std::size_t i = 0; i < result.size(); ++i) {
            const Part& left = result[i];
            const bool whole_left =
                left.last_slot - left.first_slot == width && left.first_slot % (2 * width) == 0;
            if (whole_left && i + 1 < result.size() &&
                result[i + 1].last_slot - result[i + 1].first_slot == width) {
                const Part both{left.first_slot, result[i + 1].last_slot, left.first, result[i + 1].last};
                const std::size_t n = both.last - both.first;
                const double apart = cost[i] + cost[i + 1];
                const double together = n == left.last - left.first                     ? cost[i]
                                        : n == result[i + 1].last - result[i + 1].first ? cost[i + 1]
                                        : n > kMaxBuiltEntries
                                            ? apart + 1
                                            : leaf_cost(entries.subspan(both.first, n), costs);
                if (together <= apart) {
                    wider.push_back(both);
                    wider_cost.push_back(together);
                    ++i;
                    continue;
                }
            }
            wider.push_back(left);
            wider_cost.push_back(cost[i]);
        }
        result = std::move(wider);
        cost = std::move(wider_cost);
    }
    return result;
}

}  // namespace

std::size_t lines_for(std::size_t entries, double density) {
    const auto lines = std::ceil(static_cast<double>(entries) / density / kLineSlots);
    return std::max<std::size_t>(static_cast<std::size_t>(lines), 1);
}

Plan plan(Entries entries, unsigned max_fanout_bits, bool must_divide, const Costs& costs) {
    const std::size_t n = entries.size();
    const bool may_be_leaf = !must_divide && n <= kMaxBuiltEntries;
    if (may_be_leaf && n < kSmall) return {};
    double best = std::numeric_limits<double>::infinity();
    if (may_be_leaf) {
        best = leaf_cost(entries, costs);
        // Even a division that removed every step could not pay for its inner node.
        if (best <= static_cast<double>(n) * costs.inner + costs.leaf_bytes) return {};
    }
    const Key low = entries.front().key;
    const Division division{low, static_cast<unsigned>(std::bit_width(entries.back().key - low))};
    const unsigned least =
        n <= 2 * kMaxBuiltEntries ? 1 : static_cast<unsigned>(std::bit_width(n / kMaxBuiltEntries)) - 1;
    const unsigned most =
        std::min({division.bits, max_fanout_bits,
                  std::max<unsigned>(least + 1, static_cast<unsigned>(std::bit_width(n / 8)))});
    unsigned chosen = 0;
    Level finest;
    unsigned worse = 0;
    for (unsigned level = std::min(least, most); level <= most && worse < 3; ++level) {
        Level candidate = judge(entries, division, level, costs);
        if (candidate.total < best) {
            best = candidate.total;
            chosen = level;
            finest = std::move(candidate);
            worse = 0;
        } else {
            ++worse;
        }
    }
    if (chosen == 0) return {};
    return {low, division.bits - chosen, std::size_t{1} << chosen, merged(entries, finest, chosen, costs)};
}

}  // namespace alex
