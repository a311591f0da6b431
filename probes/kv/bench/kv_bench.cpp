// Look-ups and inserts of the index beside its controls, in one process, interleaved; see README.md.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "alex/batch.hpp"
#include "alex/simd.hpp"
#include "bench/contestants.hpp"
#include "bench/engines_bench.hpp"
#include "bench/inserts.hpp"
#include "bench/keys.hpp"
#include "bench/timing.hpp"

namespace bench {
namespace {

struct Settings {
    std::size_t keys = 10'000'000;
    std::size_t lookups = 2'000'000;
    std::size_t repetitions = 7;
    std::size_t insert_repetitions = 3;
    std::size_t engine_rows = 1'000'000;
    std::size_t engine_repetitions = 5;
    std::size_t seed = 1;
    std::vector<std::string> sets{"random", "sequential", "lognormal", "clustered"};
};

struct Queries {
    std::vector<Entry> entries;  // each value is the next key of one random cycle through all keys
    std::vector<Key> keys;       // uniform draws of present keys
    Value sum = 0;               // of their values
};

Queries make_queries(const Keys& keys, std::size_t lookups, std::uint64_t seed) {
    Queries result;
    const std::size_t n = keys.size();
    std::vector<std::uint32_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(i);
    std::mt19937_64 random(seed);
    std::shuffle(order.begin(), order.end(), random);
    result.entries.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        result.entries[order[i]] = {keys[order[i]], keys[order[(i + 1) % n]]};
    }
    for (std::size_t i = 0; i < lookups; ++i) {
        const Entry& entry = result.entries[random() % n];
        result.keys.push_back(entry.key);
        result.sum += entry.value;
    }
    return result;
}

[[noreturn]] void wrong(const char* who) {
    std::fprintf(stderr, "%s read a wrong value\n", who);
    std::exit(1);
}

struct Result {
    std::vector<double> independent, dependent;
};

class Table {
  public:
    Table(const Queries& queries, std::size_t repetitions) : queries_(queries), repetitions_(repetitions) {}

    template <typename Store>
    void measure(const char* name, const Store& store) {
        Result& result = results_[name];
        result.independent.push_back(ns_each(queries_.keys.size(), [&] {
            Value sum = 0;
            for (const Key key : queries_.keys) {
                const Value* value = store.find(key);
                if (value != nullptr) sum += *value;
            }
            if (sum != queries_.sum) wrong(name);
        }));
        const std::size_t steps = queries_.keys.size() / 2;
        result.dependent.push_back(ns_each(steps, [&] {
            Key key = queries_.keys[result.dependent.size()];
            for (std::size_t i = 0; i < steps; ++i) {
                const Value* next = store.find(key);
                if (next == nullptr) wrong(name);
                key = *next;
            }
            last_ = key;
        }));
        if (ends_.size() < result.dependent.size()) ends_.push_back(last_);
        if (ends_[result.dependent.size() - 1] != last_) wrong(name);
    }

    template <typename Work>
    void measure_batch(const char* name, Work work) {
        results_[name].independent.push_back(ns_each(queries_.keys.size(), [&] {
            if (work(queries_.keys) != queries_.sum) wrong(name);
        }));
    }

    void print(const std::string& set) const {
        const auto ratio = [&](const char* control, const std::vector<double> Result::*which,
                               const Result& result) {
            return median_ratio(results_.at(control).*which, result.*which);
        };
        for (const auto& [name, result] : results_) {
            std::printf("%-11s %-18s %8.1f ns  x B-tree %5.2f  x array %5.2f", set.c_str(), name.c_str(),
                        median(result.independent), ratio("btree", &Result::independent, result),
                        ratio("lower_bound", &Result::independent, result));
            if (!result.dependent.empty()) {
                std::printf("   | dependent %8.1f ns  x B-tree %5.2f  x array %5.2f",
                            median(result.dependent), ratio("btree", &Result::dependent, result),
                            ratio("lower_bound", &Result::dependent, result));
            }
            std::printf("\n");
        }
    }

    std::size_t repetitions() const { return repetitions_; }

  private:
    const Queries& queries_;
    std::size_t repetitions_;
    std::map<std::string, Result> results_;
    std::vector<Key> ends_;
    Key last_ = 0;
};

struct AlexSimd {
    const alex::Alex& index;
    const Value* find(Key key) const { return alex::find_simd(index, key); }
};

template <std::size_t kGroup>
Value batched(const alex::Alex& index, const std::vector<Key>& keys) {
    static std::vector<const Value*> found(1024);
    Value sum = 0;
    for (std::size_t start = 0; start < keys.size(); start += found.size()) {
        const std::span<const Key> some(keys.data() + start, std::min(found.size(), keys.size() - start));
        alex::find_batch<kGroup>(index, some, found);
        for (std::size_t i = 0; i < some.size(); ++i) {
            if (found[i] != nullptr) sum += *found[i];
        }
    }
    return sum;
}

void lookups(const Settings& settings, const std::string& set) {
    const Keys keys = named(set, settings.keys, settings.seed);
    const Queries queries = make_queries(keys, settings.lookups, settings.seed + 1);
    BTree btree;
    SortedArray array;
    Hash hash;
    AlexIndex<false> index;
    AlexIndex<true> huge;
    btree.load(queries.entries);
    array.load(queries.entries);
    hash.load(queries.entries);
    const double load = ns_each(keys.size(), [&] { index.load(queries.entries); });
    huge.load(queries.entries);
    const alex::Shape shape = index.index.shape();
    std::printf(
        "%-11s alex: %.1f ns a key to load, %zu leaves, %zu inner nodes, depth %zu (mean %.2f), "
        "%.2f steps, %.2f bytes a key\n",
        set.c_str(), load, shape.leaves, shape.inner_nodes, shape.depth, shape.mean_depth, shape.mean_steps,
        static_cast<double>(index.index.memory().total) / static_cast<double>(keys.size()));
    Table table(queries, settings.repetitions);
    const auto batch = [&](const char* name, auto work) {
        return [&table, name, work] { table.measure_batch(name, work); };
    };
    std::vector<std::function<void()>> contestants{
        [&] { table.measure("btree", btree); },
        [&] { table.measure("alex", index); },
        [&] { table.measure("lower_bound", array); },
        [&] { table.measure("alex huge pages", huge); },
        [&] { table.measure("hash", hash); },
        [&] { table.measure("alex SIMD", AlexSimd{index.index}); },
        batch("alex batch 8", [&](const auto& some) { return batched<8>(index.index, some); }),
        batch("alex batch 32", [&](const auto& some) { return batched<32>(index.index, some); }),
        batch("alex batch 32 huge", [&](const auto& some) { return batched<32>(huge.index, some); }),
    };
#ifdef KV_PGM
    Pgm<16> pgm;
    pgm.load(queries.entries);
    contestants.emplace_back([&] { table.measure("PGM", pgm); });
#endif
    std::mt19937_64 random(settings.seed + 3);
    for (std::size_t i = 0; i < settings.repetitions; ++i) {
        for (const std::size_t place : shuffled(contestants.size(), random)) contestants[place]();
    }
    table.print(set);
}

void all_inserts(const Settings& settings) {
    for (const std::string& set : settings.sets) {
        Keys keys = named(set, settings.keys, settings.seed);
        if (set == "sequential") {
            inserts("append", keys, settings.insert_repetitions, settings.seed);
        } else {
            std::mt19937_64 random(settings.seed + 2);
            std::shuffle(keys.begin(), keys.end(), random);
            inserts(set.c_str(), keys, settings.insert_repetitions, settings.seed);
        }
    }
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
    bench::Settings settings;
    const std::map<std::string, std::size_t*> numbers{{"--keys", &settings.keys},
                                                      {"--lookups", &settings.lookups},
                                                      {"--repetitions", &settings.repetitions},
                                                      {"--insert-repetitions", &settings.insert_repetitions},
                                                      {"--engine-rows", &settings.engine_rows},
                                                      {"--engine-repetitions", &settings.engine_repetitions},
                                                      {"--seed", &settings.seed}};
    for (int i = 1; i < count; i += 2) {
        const std::string name = words[i];
        char* end = nullptr;
        if (i + 1 < count && numbers.contains(name)) {
            *numbers.at(name) = std::strtoull(words[i + 1], &end, 10);
        } else if (i + 1 < count && name == "--set" && !bench::named(words[i + 1], 1, 1).empty()) {
            settings.sets = {words[i + 1]};
        } else {
            std::fprintf(stderr, "%s: give --set random|sequential|lognormal|clustered, or a number for",
                         words[i]);
            for (const auto& [known, at] : numbers) std::fprintf(stderr, " %s", known.c_str());
            std::fprintf(stderr, " (0 repetitions leave a part out)\n");
            return 2;
        }
        if (end != nullptr && (*end != '\0' || end == words[i + 1])) {
            std::fprintf(stderr, "%s is no number\n", words[i + 1]);
            return 2;
        }
    }
    if (settings.keys < 2 || settings.lookups < 2 || settings.engine_rows == 0) {
        std::fprintf(stderr, "at least 2 keys, 2 lookups and 1 row are needed\n");
        return 2;
    }
    if (settings.repetitions > 0) {
        std::printf("alex SIMD uses %s\n", alex::simd_in_use());
        for (const std::string& set : settings.sets) bench::lookups(settings, set);
    }
    if (settings.insert_repetitions > 0) bench::all_inserts(settings);
    if (settings.engine_repetitions > 0)
        bench::engines(settings.engine_rows, settings.engine_repetitions, settings.seed);
}
