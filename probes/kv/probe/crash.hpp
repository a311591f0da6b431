// The workload "crash": a process reports each batch it has written; it is killed, and the store opened
// again.
#pragma once

#include "probe/gets.hpp"

namespace kv {

/// Rows that were reported and are gone are counted. With turns it says that it is ready when the writer is dead and
/// opens the store again when it is told to end: in between the caller may cut the power of the disk.
/// Throws as measure_gets does; a wrong value is a failure, and so is a store that cannot be opened again.
Measured measure_crash(Request& request, std::istream& input, std::ostream& output);

}  // namespace kv
