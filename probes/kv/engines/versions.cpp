#include "engines/versions.hpp"

#include <lmdb.h>
#include <rocksdb/version.h>
#include <sqlite3.h>

#ifdef KV_REDB
#include "redb/redb_c.h"
#endif

namespace kv {

std::string engine_versions() {
    int major = 0, minor = 0, patch = 0;
    mdb_version(&major, &minor, &patch);
    std::string all = "RocksDB " + rocksdb::GetRocksVersionAsString(true) + ", SQLite " + sqlite3_libversion() +
                      ", LMDB " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
#ifdef KV_REDB
    all += std::string(", redb ") + redb_c_version();
#endif
    return all;
}

}  // namespace kv
