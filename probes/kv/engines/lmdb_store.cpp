// LMDB with integer keys.
#include <lmdb.h>

#include <cstring>

#include "engines/options.hpp"
#include "engines/store.hpp"

namespace kv {
namespace {

void must(int code) {
    if (code != MDB_SUCCESS) throw Failed(std::string("LMDB: ") + mdb_strerror(code));
}

class LmdbStore : public Store {
  public:
    LmdbStore(const std::string& folder, std::size_t map_bytes, bool sync, bool hold, Json settings)
        : hold_(hold), settings_(std::move(settings)) {
        must(mdb_env_create(&environment_));
        try {
            must(mdb_env_set_mapsize(environment_, map_bytes));
            must(mdb_env_open(environment_, (folder + "/lmdb").c_str(),
                              MDB_NOSUBDIR | (sync ? 0 : MDB_NOSYNC), 0600));
            MDB_txn* begun = nullptr;
            must(mdb_txn_begin(environment_, nullptr, 0, &begun));
            const int opened = mdb_dbi_open(begun, nullptr, MDB_CREATE | MDB_INTEGERKEY, &table_);
            if (opened != MDB_SUCCESS) mdb_txn_abort(begun);
            must(opened);
            must(mdb_txn_commit(begun));
        } catch (...) {
            mdb_env_close(environment_);
            throw;
        }
    }
    LmdbStore(const LmdbStore&) = delete;
    LmdbStore& operator=(const LmdbStore&) = delete;
    ~LmdbStore() override {
        if (reader_ != nullptr) mdb_txn_abort(reader_);
        mdb_env_close(environment_);
    }

    void write(std::span<const Row> rows) override {
        MDB_txn* writer = nullptr;
        must(mdb_txn_begin(environment_, nullptr, 0, &writer));
        for (const Row& row : rows) {
            std::size_t number = row.key;
            MDB_val key{sizeof number, &number};
            MDB_val value{row.value.size(), const_cast<char*>(row.value.data())};
            const int done = mdb_put(writer, table_, &key, &value, 0);
            if (done != MDB_SUCCESS) mdb_txn_abort(writer);
            must(done);
        }
        must(mdb_txn_commit(writer));
    }

    bool get(std::uint64_t number, std::string& value) override {
        if (!hold_) renew();
        MDB_val key{sizeof number, &number};
        MDB_val found{};
        const int done = mdb_get(reader(), table_, &key, &found);
        if (done == MDB_SUCCESS) value.assign(static_cast<const char*>(found.mv_data), found.mv_size);
        if (!hold_) mdb_txn_reset(reader_);
        if (done != MDB_NOTFOUND) must(done);
        return done == MDB_SUCCESS;
    }

    std::size_t scan(std::uint64_t from, std::size_t limit, std::uint64_t& bytes) override {
        if (!hold_) renew();
        MDB_cursor* cursor = nullptr;
        must(mdb_cursor_open(reader(), table_, &cursor));
        MDB_val key{sizeof from, &from};
        MDB_val value{};
        std::size_t found = 0;
        for (MDB_cursor_op move = MDB_SET_RANGE; found < limit; move = MDB_NEXT, ++found) {
            if (mdb_cursor_get(cursor, &key, &value, move) != MDB_SUCCESS) break;
            bytes += value.mv_size;
        }
        mdb_cursor_close(cursor);
        if (!hold_) mdb_txn_reset(reader_);
        return found;
    }

    void end_reads() override {
        if (reader_ != nullptr) mdb_txn_abort(reader_);
        reader_ = nullptr;
    }

    Json settings() const override {
        Json all = settings_;
        MDB_envinfo held{};
        mdb_env_info(environment_, &held);
        unsigned flags = 0;
        mdb_env_get_flags(environment_, &flags);
        all["map_bytes"] = held.me_mapsize;
        all["sync"] = (flags & MDB_NOSYNC) == 0;
        all["transaction"] = hold_ ? "read" : "autocommit";
        return all;
    }

    Json counters() override {
        MDB_stat held{};
        must(mdb_env_stat(environment_, &held));
        return {{"depth", held.ms_depth},
                {"page_bytes", held.ms_psize},
                {"branch_pages", held.ms_branch_pages},
                {"leaf_pages", held.ms_leaf_pages},
                {"overflow_pages", held.ms_overflow_pages},
                {"entries", held.ms_entries}};
    }

    std::string version() const override {
        int major = 0, minor = 0, patch = 0;
        mdb_version(&major, &minor, &patch);
        return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
    }

  private:
    MDB_txn* reader() {
        if (reader_ == nullptr) must(mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &reader_));
        return reader_;
    }
    void renew() {
        if (reader_ != nullptr) must(mdb_txn_renew(reader_));
    }

    bool hold_;
    Json settings_;
    MDB_env* environment_ = nullptr;
    MDB_dbi table_ = 0;
    MDB_txn* reader_ = nullptr;
};

}  // namespace

std::unique_ptr<Store> open_lmdb(const std::string& folder, Json& options) {
    const Json asked = options;
    const auto map_bytes = take_at_least(options, "map_bytes", std::uint64_t{16} << 30, 1 << 20);
    const bool sync = take(options, "sync", true);
    const bool held = take_one_of(options, "transaction", "autocommit", {"autocommit", "read"}) == "read";
    refuse_rest(options, "options");
    return std::make_unique<LmdbStore>(folder, map_bytes, sync, held, asked);
}

}  // namespace kv
