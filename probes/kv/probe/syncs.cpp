#include "probe/syncs.hpp"

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>

// The program's own definitions come before those of the C library, for the engines' shared libraries too.
namespace {
std::atomic<std::uint64_t> fsyncs{0}, fdatasyncs{0}, msyncs{0}, ranges{0};
}  // namespace

extern "C" {
int fsync(int file) {
    ++fsyncs;
    return static_cast<int>(syscall(SYS_fsync, file));
}
int fdatasync(int file) {
    ++fdatasyncs;
    return static_cast<int>(syscall(SYS_fdatasync, file));
}
int msync(void* start, size_t length, int flags) {
    ++msyncs;
    return static_cast<int>(syscall(SYS_msync, start, length, flags));
}
int sync_file_range(int file, off64_t offset, off64_t length, unsigned flags) {
    ++ranges;
    return static_cast<int>(syscall(SYS_sync_file_range, file, offset, length, flags));
}
}

namespace kv {

Syncs syncs_so_far() { return {fsyncs, fdatasyncs, msyncs, ranges}; }

}  // namespace kv
