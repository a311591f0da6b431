// The file of samples: unsigned 64-bit little-endian nanoseconds, one series after the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kv {

struct Series {
    std::string name;
    std::vector<std::uint64_t> values;
};

/// The name under which the file is written before it is complete.
std::string temporary_name(const std::string& path);

/// Writes under a temporary name, syncs and renames. False, with the reason on standard error, if it could
/// not.
bool write_samples(const std::string& path, const std::vector<Series>& all);

}  // namespace kv
