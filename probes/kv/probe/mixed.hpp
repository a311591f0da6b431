// The workload "mixed": look-ups, overwrites, inserts, scans and reads that are written back, in a drawn
// order.
#pragma once

#include "probe/gets.hpp"

namespace kv {

/// Each operation is timed by itself, and its answer compared with the row as it was last written. At the end
/// every row that was written is read again. Throws as measure_gets does.
Measured measure_mixed(Request& request);

}  // namespace kv
