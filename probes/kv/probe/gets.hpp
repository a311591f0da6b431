// The workload "gets": load, settle, warm, then measured look-ups whose every answer is checked.
#pragma once

#include <memory>
#include <vector>

#include "probe/request.hpp"
#include "probe/samples.hpp"

namespace kv {

struct Measured {
    std::vector<Series> series;
    Json seconds = Json::object();
    Json counters = Json::object();
    Json settings = Json::object();
    std::string engine_version;
    std::uint64_t checked_reads = 0;
};

/// Throws Refused before anything is written, Failed for a broken engine or a wrong value.
Measured measure_gets(Request& request);

}  // namespace kv
