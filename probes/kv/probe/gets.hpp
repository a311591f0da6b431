// The workload "gets": load, settle, warm, then measured look-ups whose every answer is checked.
#pragma once

#include <istream>
#include <ostream>
#include <vector>

#include "probe/request.hpp"
#include "probe/samples.hpp"

namespace kv {

struct Measured {
    std::vector<Series> series;
    Json seconds = Json::object();
    Json counters = Json::object();
    Json settings = Json::object();
    Json turns;  // null: measured at once
    std::string engine_version;
    std::uint64_t checked_reads = 0;
};

/// input, output: where turns are asked for and answered, if the request wants any. Throws Refused before
/// anything is written and for a wrong turn, Failed for a broken engine or a wrong value.
Measured measure_gets(Request& request, std::istream& input, std::ostream& output);

}  // namespace kv
