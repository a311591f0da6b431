// libFuzzer: bytes become operations on the index and on std::map, which must agree; check() after each run.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "alex/alex.hpp"

namespace {

using alex::Key;

[[noreturn]] void disagree(const char* what) {
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

class Input {
  public:
    Input(const std::uint8_t* bytes, std::size_t size) : at_(bytes), left_(size) {}
    bool empty() const { return left_ == 0; }
    std::uint64_t number(std::size_t width) {
        std::uint64_t value = 0;
        const std::size_t taken = width < left_ ? width : left_;
        std::memcpy(&value, at_, taken);
        at_ += taken;
        left_ -= taken;
        return value;
    }

  private:
    const std::uint8_t* at_;
    std::size_t left_;
};

/// A key near an earlier one, at a power of two, at an end, or anywhere.
Key draw(Input& input, Key last) {
    const std::uint64_t kind = input.number(1);
    switch (kind % 6) {
        case 0:
            return last + input.number(1);
        case 1:
            return last - input.number(1);
        case 2:
            return (Key{1} << (input.number(1) % 64)) + input.number(1);
        case 3:
            return ~Key{0} - input.number(2);
        case 4:
            return input.number(2);
        default:
            return input.number(8);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    Input input(bytes, size);
    alex::Alex index;
    std::map<Key, std::uint64_t> expected;
    Key last = 0;
    if (input.number(1) % 2 == 0) {
        // A run of keys with a step, loaded at once.
        const Key first = draw(input, 0);
        const Key step = input.number(4) + 1;
        Key key = first;
        for (std::uint64_t count = input.number(2) % 9000; count > 0; --count, key += step)
            expected[key] = count;
        std::vector<alex::Entry> entries;
        for (const auto& [each, value] : expected) entries.push_back({each, value});
        index.bulk_load(entries);
        last = key;
    }
    while (!input.empty()) {
        const std::uint64_t choice = input.number(1) % 8;
        const Key key = draw(input, last);
        last = key;
        if (choice < 2) {
            if (index.insert(key, choice) != expected.try_emplace(key, choice).second) disagree("insert");
        } else if (choice == 2) {
            if (index.put(key, 77) == expected.contains(key)) disagree("put");
            expected[key] = 77;
        } else if (choice == 3) {
            if (index.erase(key) != (expected.erase(key) == 1)) disagree("erase");
        } else if (choice < 6) {
            // A whole run, rising or falling, so that leaves fill and divide.
            const Key step = choice == 4 ? input.number(3) + 1 : ~Key{0} - input.number(1);
            Key at = key;
            for (std::uint64_t count = input.number(2) % 4096; count > 0; --count, at += step) {
                if (index.insert(at, count) != expected.try_emplace(at, count).second)
                    disagree("a run of inserts");
            }
        } else if (choice == 6) {
            auto at = expected.lower_bound(key);
            std::uint64_t left = 1 + input.number(1);
            index.scan(key, [&](Key found, std::uint64_t value) {
                if (at == expected.end() || at->first != found || at->second != value) disagree("scan");
                ++at;
                return --left > 0;
            });
            if (left > 0 && at != expected.end()) disagree("a scan ends early");
        } else {
            auto at = expected.lower_bound(key);
            for (std::uint64_t count = input.number(2) % 4096; count > 0 && at != expected.end(); --count) {
                if (!index.erase(at->first)) disagree("a run of erases");
                at = expected.erase(at);
            }
        }
        const auto held = expected.find(key);
        const std::uint64_t* value = index.find(key);
        if ((value == nullptr) != (held == expected.end())) disagree("find");
        if (value != nullptr && *value != held->second) disagree("a value");
    }
    if (const auto broken = index.check()) disagree(broken->c_str());
    if (index.size() != expected.size()) disagree("size");
    return 0;
}
