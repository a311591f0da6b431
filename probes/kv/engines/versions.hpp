// What the libraries that this program was linked with say about themselves.
#pragma once

#include <string>

namespace kv {

/// One line, as "RocksDB 7.8.3, SQLite 3.40.1, LMDB 0.9.24", and redb's where it was built.
std::string engine_versions();

}  // namespace kv
