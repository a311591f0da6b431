#include "probe/machine.hpp"

#include <malloc.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

namespace kv {
namespace {

/// A line "Name:   123 kB" of a file of the kernel, in bytes; 0 where there is none.
std::uint64_t kernel_bytes(const char* file, const std::string& name) {
    std::ifstream lines(file);
    std::string word;
    while (lines >> word) {
        if (word == name + ":") {
            std::uint64_t kib = 0;
            lines >> kib;
            return kib * 1024;
        }
    }
    return 0;
}

/// What this process handed to the kernel for devices, each overwriting of a page that still waits left out; null where
/// the kernel does not count it.
Json device_write_bytes() {
    std::ifstream lines("/proc/self/io");
    std::string word;
    std::uint64_t bytes = 0;
    while (lines >> word >> bytes) {
        if (word == "write_bytes:") return bytes;
    }
    return nullptr;
}

/// What this process has read from devices; null where the kernel does not count it.
Json device_read_bytes(const rusage& use) {
    constexpr long kSectorBytes = 512;
    if (!std::filesystem::exists("/proc/self/io")) return nullptr;
    return use.ru_inblock * kSectorBytes;
}

}  // namespace

Json memory_now() {
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    const auto heap = mallinfo2();
    return {{"resident_bytes", kernel_bytes("/proc/self/status", "VmRSS")},
            {"anonymous_bytes", kernel_bytes("/proc/self/status", "RssAnon")},
            {"huge_page_bytes", kernel_bytes("/proc/self/smaps_rollup", "AnonHugePages")},
            {"mapped_bytes", kernel_bytes("/proc/self/status", "RssFile")},
            {"heap_bytes", heap.uordblks + heap.hblkhd},
            {"minor_faults", use.ru_minflt},
            {"major_faults", use.ru_majflt},
            {"device_read_bytes", device_read_bytes(use)},
            {"device_write_bytes", device_write_bytes()}};
}

void return_freed_memory() {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

void refuse_beyond_memory(const Request& request) {
    const double rows = static_cast<double>(request.data.rows);
    const double row_bytes =
        40 + static_cast<double>(request.data.value_bytes == 0 ? 26 : request.data.value_bytes);
    const double batch =
        request.batch_rows == 0 ? rows : std::min(rows, static_cast<double>(request.batch_rows));
    double needed = 3 * batch * row_bytes;  // the rows, the engine's own batch, and what it buffers of it
    if (request.index != "none" || request.engine == "value_file") needed += rows * (24 + 16);
    if (request.turns) {
        needed += static_cast<double>(samples_of(request, request.operations)) *
                  (request.timing == "parts" ? 24 : 8);
    } else {
        needed += static_cast<double>(request.operations + request.warm_operations) * 40;
    }
    const double available = static_cast<double>(kernel_bytes("/proc/meminfo", "MemAvailable"));
    if (available > 0 && needed > 0.9 * available) {
        throw Refused("about " + std::to_string(static_cast<std::uint64_t>(needed / 1048576)) +
                      " MiB are needed and " +
                      std::to_string(static_cast<std::uint64_t>(available / 1048576)) +
                      " are available: ask for fewer rows, or load them in batches");
    }
}

}  // namespace kv
