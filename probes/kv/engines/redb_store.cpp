// redb, from Rust (../redb), with integer keys. Only where `make redb` has built it.
#include "redb/redb_c.h"

#include <array>

#include "engines/options.hpp"
#include "engines/store.hpp"

namespace kv {
namespace {

class RedbStore : public Store {
  public:
    RedbStore(const std::string& folder, std::uint64_t cache_bytes, bool sync, bool hold, Json settings)
        : settings_(std::move(settings)) {
        std::array<char, 512> why{};
        store_ = redb_c_open((folder + "/redb").c_str(), cache_bytes, sync, hold, why.data(), why.size());
        if (store_ == nullptr) throw Failed(std::string("redb: ") + why.data());
        settings_["cache_bytes"] = cache_bytes;
        settings_["sync"] = sync;
        settings_["transaction"] = hold ? "read" : "autocommit";
    }
    RedbStore(const RedbStore&) = delete;
    RedbStore& operator=(const RedbStore&) = delete;
    ~RedbStore() override { redb_c_close(store_); }

    void write(std::span<const Row> rows) override {
        rows_.clear();
        for (const Row& row : rows)
            rows_.push_back({row.key, reinterpret_cast<const unsigned char*>(row.value.data()), row.value.size()});
        must(redb_c_write(store_, rows_.data(), rows_.size()));
    }

    bool get(std::uint64_t key, std::string& value) override {
        const unsigned char* found = nullptr;
        std::size_t length = 0;
        if (must(redb_c_get(store_, key, &found, &length)) == 0) return false;
        value.assign(reinterpret_cast<const char*>(found), length);
        return true;
    }

    std::size_t scan(std::uint64_t from, std::size_t limit, std::uint64_t& bytes) override {
        std::size_t rows = 0;
        std::uint64_t read = 0;
        must(redb_c_scan(store_, from, limit, &rows, &read));
        bytes += read;
        return rows;
    }

    void end_reads() override { redb_c_end_reads(store_); }

    Json settings() const override { return settings_; }

    Json counters() override {
        redb_c_counts held{};
        must(redb_c_count(store_, &held));
        return {{"depth", held.tree_height},
                {"page_bytes", held.page_bytes},
                {"branch_pages", held.branch_pages},
                {"leaf_pages", held.leaf_pages},
                {"allocated_pages", held.allocated_pages},
                {"stored_bytes", held.stored_bytes}};
    }

    std::string version() const override { return redb_c_version(); }

  private:
    int must(int done) {
        if (done < 0) throw Failed(std::string("redb: ") + redb_c_error(store_));
        return done;
    }

    Json settings_;
    redb_c_store* store_ = nullptr;
    std::vector<redb_c_row> rows_{};
};

}  // namespace

std::unique_ptr<Store> open_redb(const std::string& folder, Json& options) {
    const Json asked = options;
    const auto cache_bytes = take_at_least(options, "cache_bytes", std::uint64_t{1} << 30, 0);
    const bool sync = take(options, "sync", true);
    const bool held = take_one_of(options, "transaction", "autocommit", {"autocommit", "read"}) == "read";
    refuse_rest(options, "options");
    return std::make_unique<RedbStore>(folder, cache_bytes, sync, held, asked);
}

}  // namespace kv
