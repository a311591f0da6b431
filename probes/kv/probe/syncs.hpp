// How often the engines asked the kernel to make data durable, counted at the calls themselves.
#pragma once

#include <cstdint>

namespace kv {

struct Syncs {
    std::uint64_t fsync, fdatasync, msync, sync_file_range;
};

Syncs syncs_so_far();

}  // namespace kv
