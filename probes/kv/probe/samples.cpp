#include "probe/samples.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace kv {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are written as they lie in memory");

bool write_all(int file, const std::vector<std::uint64_t>& values) {
    const auto* at = reinterpret_cast<const char*>(values.data());
    std::size_t left = values.size() * sizeof(std::uint64_t);
    while (left > 0) {
        const ssize_t done = ::write(file, at, left);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        left -= static_cast<std::size_t>(done);
    }
    return true;
}

}  // namespace

std::string temporary_name(const std::string& path) {
    const std::filesystem::path whole(path);
    return (whole.parent_path() / ("." + whole.filename().string() + ".tmp")).string();
}

bool write_samples(const std::string& path, const std::vector<Series>& all) {
    const std::string temporary = temporary_name(path);
    const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    bool good = file >= 0;
    for (const Series& each : all) good = good && write_all(file, each.values);
    good = good && fsync(file) == 0;
    if (file >= 0) good = close(file) == 0 && good;
    good = good && rename(temporary.c_str(), path.c_str()) == 0;
    if (!good) {
        std::fprintf(stderr, "the samples cannot be written to %s: %s\n", path.c_str(), std::strerror(errno));
        if (file >= 0) unlink(temporary.c_str());
    }
    return good;
}

}  // namespace kv
