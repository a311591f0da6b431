// Key-value engines and indexes under point queries: one JSON request on standard input, see ../PROTOCOL.md.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iostream>

#include "alex/simd.hpp"
#include "engines/versions.hpp"
#include "probe/clock.hpp"
#include "probe/crash.hpp"
#include "probe/gets.hpp"
#include "probe/machine.hpp"
#include "probe/mixed.hpp"

namespace {

constexpr int kFailed = 1;
constexpr int kRefused = 4;
constexpr int kNoSpace = 3;

char half_written[4096];

/// Told to end: no half-written samples stay behind.
void end_now(int) {
    if (half_written[0] != '\0') unlink(half_written);
    _exit(kFailed);
}

const char* engine_name(const std::string& engine) {
    if (engine == "rocksdb") return "RocksDB";
    if (engine == "sqlite") return "SQLite";
    if (engine == "lmdb") return "LMDB";
    if (engine == "redb") return "redb";
    if (engine == "value_file") return "value file";
    return "index alone";
}

}  // namespace

int main(int count, char** words) {
    if (count == 2 && std::strcmp(words[1], "--version") == 0) {
        std::cout << kv::engine_versions() << std::endl;
        return 0;
    }
    if (count != 1) {
        std::cerr << "one request on standard input, or --version\n";
        return kRefused;
    }
    try {
        kv::Request request = kv::read_request(std::cin);
        std::snprintf(half_written, sizeof half_written, "%s", kv::temporary_name(request.samples).c_str());
        signal(SIGTERM, end_now);
        signal(SIGINT, end_now);
        kv::Measured found = request.workload == "crash"   ? kv::measure_crash(request, std::cin, std::cout)
                             : request.workload == "mixed" ? kv::measure_mixed(request)
                                                           : kv::measure_gets(request, std::cin, std::cout);
        if (!kv::write_samples(request.samples, found.series)) return kNoSpace;
        kv::Json series = kv::Json::array();
        for (const kv::Series& each : found.series)
            series.push_back({{"name", each.name}, {"count", each.values.size()}});
        found.settings["simd"] = alex::simd_in_use();
        kv::Json line{{"protocol", kv::kProtocol},
                            {"probe", "kv"},
                            {"engine", engine_name(request.engine)},
                            {"engine_version", found.engine_version},
                            {"settings", found.settings},
                            {"series", series},
                            {"seconds", found.seconds},
                            {"counters", found.counters},
                            {"timeline", kv::Json::array()},
                            {"memory", kv::memory_now()},
                            {"checked_reads", found.checked_reads},
                            {"timer_ns", kv::timer_ns()}};
        if (!found.turns.is_null()) line["turns"] = found.turns;
        std::cout << line.dump() << std::endl;
        return 0;
    } catch (const kv::Refused& refusal) {
        std::cerr << refusal.what() << '\n';
        return kRefused;
    } catch (const std::bad_alloc&) {
        std::cerr << "out of memory: ask for fewer rows\n";
        return kFailed;
    } catch (const std::exception& failure) {
        std::cerr << failure.what() << '\n';
        return kFailed;
    }
}
