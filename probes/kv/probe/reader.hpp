// One point query as the note's engine made it: row cache, index for existence, engine for the value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engines/index.hpp"
#include "engines/store.hpp"
#include "probe/clock.hpp"
#include "probe/row_cache.hpp"

namespace kv {

/// What the index holds for a key: enough to see that it answered for this key and no other.
inline std::uint64_t marker(std::uint64_t key) { return key ^ 0xA5A5A5A55A5A5A5Au; }

struct Answer {
    bool found = false;
    bool from_engine = false;
    std::uint64_t marker = 0;
    std::string value;
};

struct Parts {
    std::uint64_t index_ns, engine_ns, query_ns;
};

class Reader {
  public:
    /// Either may be nullptr: left out, then the other alone answers.
    Reader(const Index* index, Store* store, std::size_t row_cache_entries)
        : index_(index), store_(store), cache_(row_cache_entries) {}

    void query(std::uint64_t key, Answer& answer) {
        if (const std::string* cached = cache_.get(key)) {
            answer.value = *cached;
            answer.found = answer.from_engine = true;
            return;
        }
        answer.from_engine = false;
        if (index_ != nullptr && !ask_index(key, answer)) return;
        if (store_ != nullptr) {
            ask_engine(key, answer);
            if (answer.found) cache_.put(key, answer.value);
        }
    }

    /// The same with a timer around each part.
    Parts timed_query(std::uint64_t key, Answer& answer) {
        Parts parts{0, 0, 0};
        const std::uint64_t begun = now_ns();
        if (const std::string* cached = cache_.get(key)) {
            answer.value = *cached;
            answer.found = answer.from_engine = true;
        } else {
            answer.from_engine = false;
            bool go_on = true;
            if (index_ != nullptr) {
                const std::uint64_t before = now_ns();
                go_on = ask_index(key, answer);
                parts.index_ns = now_ns() - before;
            }
            if (go_on && store_ != nullptr) {
                const std::uint64_t before = now_ns();
                ask_engine(key, answer);
                parts.engine_ns = now_ns() - before;
                if (answer.found) cache_.put(key, answer.value);
            }
        }
        parts.query_ns = now_ns() - begun;
        return parts;
    }

    /// To be called after a row was overwritten in the engine.
    void wrote(std::uint64_t key, const std::string& value) { cache_.wrote(key, value); }

    std::uint64_t cache_hits() const { return cache_.hits(); }

  private:
    bool ask_index(std::uint64_t key, Answer& answer) const {
        const std::optional<std::uint64_t> held = index_->get(key);
        answer.found = held.has_value();
        answer.marker = held.value_or(0);
        return answer.found;
    }

    void ask_engine(std::uint64_t key, Answer& answer) {
        answer.found = store_->get(key, answer.value);
        answer.from_engine = true;
    }

    const Index* index_;
    Store* store_;
    RowCache cache_;
};

}  // namespace kv
