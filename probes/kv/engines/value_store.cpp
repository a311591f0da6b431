// An index over a value file: the engine that answers reads with one index look-up and one memory access.
#include <algorithm>
#include <vector>

#include "engines/index.hpp"
#include "engines/options.hpp"
#include "engines/store.hpp"
#include "engines/value_file.hpp"

namespace kv {
namespace {

class ValueStore : public Store {
  public:
    struct Use {
        std::string index;
        std::uint64_t map_bytes;
        bool sync;
        bool verify;
    };

    ValueStore(const std::string& folder, Use use)
        : use_(std::move(use)),
          index_(make_index(use_.index)),
          file_(folder + "/values", use_.map_bytes,
                [this](std::uint64_t key, std::uint64_t offset) { index_->put(key, offset); }),
          is_empty_(file_.recovery().records == 0) {}

    /// Rows in rising key order into an empty store are loaded into the index at once.
    void write(std::span<const Row> rows) override {
        const bool rises =
            is_empty_ && std::adjacent_find(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
                             return a.key >= b.key;
                         }) == rows.end();
        std::vector<alex::Entry> entries;
        entries.reserve(rows.size());
        for (const Row& row : rows) entries.push_back({row.key, file_.append(row.key, row.value)});
        // The index learns of a row only once it is in the file.
        file_.commit(use_.sync);
        if (rises) {
            index_->load(entries);
        } else {
            for (const alex::Entry& each : entries) index_->put(each.key, each.value);
        }
        is_empty_ = is_empty_ && rows.empty();
    }

    bool get(std::uint64_t key, std::string& value) override {
        const auto offset = index_->get(key);
        if (!offset) return false;
        value.assign(file_.read(*offset, key, use_.verify));
        return true;
    }

    std::size_t scan(std::uint64_t from, std::size_t limit, std::uint64_t& bytes) override {
        std::vector<std::uint64_t> offsets;
        if (!index_->values_from(from, limit, offsets)) throw Refused("a hash index has no order to scan");
        for (const std::uint64_t offset : offsets) bytes += file_.read_any(offset, use_.verify).size();
        return offsets.size();
    }

    void rest() override { file_.free_buffer(); }

    Json settings() const override {
        return {{"index", use_.index},
                {"map_bytes", use_.map_bytes},
                {"sync", use_.sync},
                {"verify", use_.verify}};
    }

    Json counters() override {
        const auto bytes = index_->bytes();
        return {{"file_bytes", file_.bytes()},
                {"index_bytes", bytes ? Json(*bytes) : Json(nullptr)},
                {"index_shape", index_->shape()},
                {"recovered_records", file_.recovery().records},
                {"cut_bytes", file_.recovery().cut_bytes}};
    }

    std::string version() const override { return "1"; }

  private:
    Use use_;
    std::unique_ptr<Index> index_;
    ValueFile file_;
    bool is_empty_;
};

}  // namespace

std::unique_ptr<Store> open_value_file(const std::string& folder, Json& options) {
    ValueStore::Use use;
    use.index = take<std::string>(options, "value_index", "alex");
    use.map_bytes = take_at_least(options, "map_bytes", std::uint64_t{64} << 30, 1 << 20);
    use.sync = take(options, "sync", true);
    use.verify = take(options, "verify", true);
    refuse_rest(options, "options");
    return std::make_unique<ValueStore>(folder, use);
}

}  // namespace kv
