// The request on standard input, checked field by field; see ../PROTOCOL.md.
#pragma once

#include <istream>
#include <string>

#include "probe/data.hpp"
#include "probe/pattern.hpp"

namespace kv {

inline constexpr std::uint64_t kProtocol = 2;

/// Of a hundred operations so many of each kind, in a drawn order. scan_rows: of the longest scan.
struct Mix {
    std::uint64_t read = 0, update = 0, insert = 0, modify = 0, scan = 0;
    std::uint64_t scan_rows = 0;
    bool latest = false;  // the rows written last are the popular ones
};

struct Request {
    std::string folder, samples;
    std::uint64_t seed = 0;
    std::string workload;  // "gets", "mixed" or "crash"
    bool turns = false;

    std::string engine;      // "none": the index alone answers
    std::string index;       // "none": the engine alone answers
    std::string index_load;  // "bulk" or "single"
    std::uint64_t row_cache_entries = 0;
    Json engine_options;

    Data data{};
    std::uint64_t batch_rows = 0;  // 0: all rows in one
    std::string settle;
    bool reopen = false;

    Pattern pattern;
    std::uint64_t operations = 0, warm_operations = 0;
    Pattern warm_pattern;
    std::string timing;  // "batches", "queries" or "parts"
    std::uint64_t batch_operations = 0;
    std::string without;  // "nothing", "engine", "index" or "both"
    bool dependent = false;
    bool absent = false;
    std::uint64_t scan_rows = 0;  // 0: gets

    std::uint64_t kill_after_batches = 0;  // workload "crash"
    Mix mix;                               // workload "mixed"
};

/// How many samples a series gets from so many look-ups.
std::uint64_t samples_of(const Request& request, std::uint64_t operations);

/// One object up to the end of input; with turns, the first line alone is read. Throws Refused.
Request read_request(std::istream& input);

}  // namespace kv
