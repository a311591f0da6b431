// SQLite: one table, data(id INTEGER PRIMARY KEY, value BLOB), used as the options say.
#include <sqlite3.h>

#include <array>

#include "engines/options.hpp"
#include "engines/store.hpp"

namespace kv {
namespace {

class SqliteStore : public Store {
  public:
    struct Use {
        std::string prepare;  // once; for every query; or for every get, and once for all inserts
        bool read_transaction;
    };

    SqliteStore(const std::string& file, int flags, Use use)
        : use_(std::move(use)), select_{use_.prepare == "once"}, insert_{use_.prepare != "query"} {
        if (sqlite3_open_v2(file.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | flags,
                            nullptr) != SQLITE_OK) {
            const std::string why = db_ == nullptr ? "no memory" : sqlite3_errmsg(db_);
            sqlite3_close(db_);
            throw Failed("SQLite: " + why);
        }
    }
    SqliteStore(const SqliteStore&) = delete;
    SqliteStore& operator=(const SqliteStore&) = delete;
    ~SqliteStore() override {
        for (const Statement* each : {&select_, &insert_}) sqlite3_finalize(each->held);
        sqlite3_close(db_);
    }

    void run(const std::string& sql) { must(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr)); }

    std::string ask(const std::string& sql) const {
        sqlite3_stmt* statement = nullptr;
        must(sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr));
        std::string answer;
        if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0) != nullptr) {
            answer = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
        }
        sqlite3_finalize(statement);
        return answer;
    }

    void write(std::span<const Row> rows) override {
        run("BEGIN");
        for (const Row& row : rows) {
            sqlite3_stmt* statement =
                prepared(insert_, "INSERT OR REPLACE INTO data(id, value) VALUES (?1, ?2)");
            must(sqlite3_bind_int64(statement, 1, static_cast<sqlite3_int64>(row.key)));
            must(sqlite3_bind_blob(statement, 2, row.value.data(), static_cast<int>(row.value.size()),
                                   SQLITE_STATIC));
            if (sqlite3_step(statement) != SQLITE_DONE) must(sqlite3_errcode(db_));
            release(insert_, statement);
        }
        run("COMMIT");
    }

    bool get(std::uint64_t key, std::string& value) override {
        sqlite3_stmt* statement = prepared(select_, "SELECT value FROM data WHERE id = ?1");
        must(sqlite3_bind_int64(statement, 1, static_cast<sqlite3_int64>(key)));
        const int step = sqlite3_step(statement);
        if (step == SQLITE_ROW) {
            const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, 0));
            value.assign(bytes == nullptr ? "" : bytes,
                         static_cast<std::size_t>(sqlite3_column_bytes(statement, 0)));
        } else if (step != SQLITE_DONE) {
            must(step);
        }
        release(select_, statement);
        return step == SQLITE_ROW;
    }

    std::size_t scan(std::uint64_t from, std::size_t limit, std::uint64_t& bytes) override {
        sqlite3_stmt* statement = nullptr;
        must(sqlite3_prepare_v2(db_, "SELECT value FROM data WHERE id >= ?1 ORDER BY id LIMIT ?2", -1,
                                &statement, nullptr));
        sqlite3_bind_int64(statement, 1, static_cast<sqlite3_int64>(from));
        sqlite3_bind_int64(statement, 2, static_cast<sqlite3_int64>(limit));
        std::size_t found = 0;
        for (; sqlite3_step(statement) == SQLITE_ROW; ++found) {
            bytes += static_cast<std::uint64_t>(sqlite3_column_bytes(statement, 0));
        }
        sqlite3_finalize(statement);
        return found;
    }

    void settle(std::string_view how) override {
        if (how == "flush" || how == "compact") run("PRAGMA wal_checkpoint(TRUNCATE)");
        if (how == "compact") run("VACUUM");
    }
    void begin_reads() override {
        // BEGIN takes no lock before the first read.
        if (use_.read_transaction) {
            run("BEGIN");
            ask("SELECT count(*) FROM (SELECT 1 FROM data LIMIT 1)");
        }
    }
    void end_reads() override {
        if (use_.read_transaction) run("COMMIT");
    }

    Json settings() const override {
        Json all{{"prepare", use_.prepare},
                 {"transaction", use_.read_transaction ? "read" : "autocommit"},
                 {"threadsafe", sqlite3_threadsafe()}};
        for (const char* pragma :
             {"journal_mode", "synchronous", "cache_size", "mmap_size", "page_size", "locking_mode"}) {
            all[pragma] = ask(std::string("PRAGMA ") + pragma);
        }
        return all;
    }

    Json counters() override {
        Json all{{"page_count", ask("PRAGMA page_count")}};
        const std::array<std::pair<const char*, int>, 4> kinds{{{"cache_hits", SQLITE_DBSTATUS_CACHE_HIT},
                                                                {"cache_misses", SQLITE_DBSTATUS_CACHE_MISS},
                                                                {"cache_writes", SQLITE_DBSTATUS_CACHE_WRITE},
                                                                {"cache_bytes", SQLITE_DBSTATUS_CACHE_USED}}};
        for (const auto& [name, kind] : kinds) {
            int now = 0;
            int highest = 0;
            must(sqlite3_db_status(db_, kind, &now, &highest, 0));
            all[name] = now;
        }
        return all;
    }

    std::string version() const override { return sqlite3_libversion(); }

  private:
    void must(int code) const {
        if (code != SQLITE_OK) throw Failed(std::string("SQLite: ") + sqlite3_errmsg(db_));
    }

    struct Statement {
        bool once;
        sqlite3_stmt* held = nullptr;
    };

    sqlite3_stmt* prepared(Statement& statement, const char* sql) {
        if (!statement.once) {
            sqlite3_stmt* fresh = nullptr;
            must(sqlite3_prepare_v2(db_, sql, -1, &fresh, nullptr));
            return fresh;
        }
        if (statement.held == nullptr)
            must(sqlite3_prepare_v3(db_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement.held, nullptr));
        return statement.held;
    }

    static void release(const Statement& statement, sqlite3_stmt* used) {
        if (statement.once) {
            sqlite3_reset(used);
        } else {
            sqlite3_finalize(used);
        }
    }

    Use use_;
    sqlite3* db_ = nullptr;
    Statement select_;
    Statement insert_;
};

}  // namespace

std::unique_ptr<Store> open_sqlite(const std::string& folder, Json& options) {
    const std::string prepare = take_one_of(options, "prepare", "once", {"once", "query", "get"});
    const bool held = take_one_of(options, "transaction", "autocommit", {"autocommit", "read"}) == "read";
    const std::string mutex = take_one_of(options, "mutex", "default", {"default", "none", "full"});
    const int flags = mutex == "none" ? SQLITE_OPEN_NOMUTEX : mutex == "full" ? SQLITE_OPEN_FULLMUTEX : 0;
    std::string pragmas;
    if (options.contains("page_bytes")) {
        pragmas +=
            "PRAGMA page_size=" + std::to_string(take_at_least(options, "page_bytes", 4096, 512)) + ";";
    }
    if (options.contains("journal")) {
        pragmas +=
            "PRAGMA journal_mode=" +
            take_one_of(options, "journal", "", {"delete", "truncate", "persist", "memory", "wal", "off"}) +
            ";";
    }
    if (options.contains("synchronous")) {
        pragmas += "PRAGMA synchronous=" +
                   take_one_of(options, "synchronous", "", {"off", "normal", "full", "extra"}) + ";";
    }
    if (options.contains("cache_kib")) {
        pragmas += "PRAGMA cache_size=-" + std::to_string(take_at_least(options, "cache_kib", 2000, 1)) + ";";
    }
    if (options.contains("mmap_bytes")) {
        pragmas += "PRAGMA mmap_size=" + std::to_string(take<std::uint64_t>(options, "mmap_bytes", 0)) + ";";
    }
    if (options.contains("locking")) {
        pragmas +=
            "PRAGMA locking_mode=" + take_one_of(options, "locking", "", {"normal", "exclusive"}) + ";";
    }
    refuse_rest(options, "options");
    auto store = std::make_unique<SqliteStore>(folder + "/sqlite.db", flags, SqliteStore::Use{prepare, held});
    store->run(pragmas);
    store->run("CREATE TABLE IF NOT EXISTS data (id INTEGER PRIMARY KEY, value BLOB)");
    return store;
}

}  // namespace kv
