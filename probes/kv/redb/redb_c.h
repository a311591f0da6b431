// redb, a store in Rust, behind functions of C (src/lib.rs). A pointer that was opened is closed once; nothing is
// thread-safe. Functions give 1 for found or done, 0 for absent, -1 for an error, whose words redb_c_error has.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

struct redb_c_store;

struct redb_c_row {
    std::uint64_t key;
    const unsigned char* value;
    std::size_t length;
};

/// Totals of the tree, as redb counts them.
struct redb_c_counts {
    std::uint64_t tree_height, leaf_pages, branch_pages, allocated_pages, stored_bytes, page_bytes;
};

/// sync: each write waits for the device; else the file is handed to the kernel and no more. hold: one read transaction
/// serves all look-ups until the next write. Null where it cannot be opened; `error` then holds the reason, cut to `room`.
redb_c_store* redb_c_open(const char* path, std::size_t cache_bytes, bool sync, bool hold, char* error, std::size_t room);
void redb_c_close(redb_c_store*);

int redb_c_write(redb_c_store*, const redb_c_row* rows, std::size_t count);
/// The value, which stays where it is until the next call.
int redb_c_get(redb_c_store*, std::uint64_t key, const unsigned char** value, std::size_t* length);
/// Rows from a key on, at most `limit`, and the sum of their bytes.
int redb_c_scan(redb_c_store*, std::uint64_t from, std::size_t limit, std::size_t* rows, std::uint64_t* bytes);
void redb_c_end_reads(redb_c_store*);
int redb_c_count(redb_c_store*, redb_c_counts*);
const char* redb_c_error(const redb_c_store*);
const char* redb_c_version();
}
