// The workload "crash": a process reports each batch it has written; it is killed, and the store opened
// again.
#pragma once

#include "probe/gets.hpp"

namespace kv {

/// Rows that were reported and are gone are counted. Throws as measure_gets does; a wrong value is a failure.
Measured measure_crash(Request& request);

}  // namespace kv
