// Measuring on command: look-ups in short turns that the caller asks for, line by line.
#pragma once

#include <istream>
#include <optional>
#include <ostream>

#include "probe/lookups.hpp"

namespace kv {

struct Turn {
    std::uint64_t for_ns = 0, discard_ns = 0;
    std::uint64_t operations = 0;  // 0: no limit
};

/// The next turn that is asked for; nothing at the end. Throws Refused for anything else.
std::optional<Turn> read_turn(std::istream& input);

/// One line for the caller. Throws Failed where nobody reads it.
void say(const Json& line, std::ostream& output);

/// That the probe waits to be told what to do.
void say_ready(std::ostream& output);

/// What all turns made together, and what was answered to each.
struct Turns {
    Tally kept, made;
    Json answers = Json::array();
    double turning_s = 0, waiting_s = 0;
};

/// Says that the probe is ready, and measures until it is told to end.
Turns take_turns(const Request& request, Lookups& lookups, Keys& keys, std::istream& input,
                 std::ostream& output);

}  // namespace kv
