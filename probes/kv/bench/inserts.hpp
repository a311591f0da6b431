// Inserts one by one: mean beside the B-tree, and the slowest single one.
#pragma once

#include <time.h>

#include <cstdio>
#include <cstdlib>

#include "bench/contestants.hpp"
#include "bench/timing.hpp"

namespace bench {

/// Time that this thread spent on a processor: waiting for one is no part of an insert.
inline std::uint64_t cpu_ns() {
    timespec at{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return static_cast<std::uint64_t>(at.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(at.tv_nsec);
}

/// Keys are inserted in the order given; seed: whether the tree or the index goes first. The slowest insert is that of the operation whose *least* time over
/// all repetitions is largest: the same operations cost the same each time, whereas interrupts hit others.
inline void inserts(const char* set, const std::vector<Key>& keys, std::size_t repetitions,
                    std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<double> tree_ns, index_ns;
    std::vector<std::uint32_t> least(keys.size(), ~std::uint32_t{0});
    std::size_t bytes = 0;
    std::uint32_t slowest_seen = 0;
    for (std::size_t i = 0; i < repetitions; ++i) {
        const auto into_tree = [&] {
            absl::btree_map<Key, Value> tree;
            tree_ns.push_back(ns_each(keys.size(), [&] {
                for (const Key key : keys) tree.emplace(key, key);
            }));
        };
        const auto into_index = [&] {
            alex::Alex index;
            index_ns.push_back(ns_each(keys.size(), [&] {
                for (const Key key : keys) index.insert(key, key);
            }));
            if (index.size() != keys.size()) std::exit(1);
            bytes = index.memory().total;
        };
        for (const std::size_t place : shuffled(2, random)) place == 0 ? into_tree() : into_index();
        alex::Alex index;
        for (std::size_t at = 0; at < keys.size(); ++at) {
            const std::uint64_t begun = cpu_ns();
            index.insert(keys[at], keys[at]);
            const auto took =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(cpu_ns() - begun, ~std::uint32_t{0}));
            least[at] = std::min(least[at], took);
            slowest_seen = std::max(slowest_seen, took);
        }
    }
    std::sort(least.begin(), least.end());
    std::printf(
        "%-11s insert   alex %7.1f ns  B-tree %7.1f ns  alex / B-tree %5.2f   %.2f bytes a key  "
        "P99.9 %u ns of processor time, slowest %.0f us (in any repetition %.0f us)\n",
        set, median(index_ns), median(tree_ns), median_ratio(index_ns, tree_ns),
        static_cast<double>(bytes) / static_cast<double>(keys.size()),
        least[keys.size() - keys.size() / 1000 - 1], least.back() / 1e3, slowest_seen / 1e3);
}

}  // namespace bench
