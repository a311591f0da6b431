#include "engines/versions.hpp"

#include <lmdb.h>
#include <rocksdb/version.h>
#include <sqlite3.h>

namespace kv {

std::string engine_versions() {
    int major = 0, minor = 0, patch = 0;
    mdb_version(&major, &minor, &patch);
    return "RocksDB " + rocksdb::GetRocksVersionAsString(true) + ", SQLite " + sqlite3_libversion() + ", LMDB " +
           std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

}  // namespace kv
