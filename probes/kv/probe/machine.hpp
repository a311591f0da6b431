// What the process takes of the machine, and whether a request can fit.
#pragma once

#include "probe/request.hpp"

namespace kv {

/// Resident, anonymous (in huge pages too) and file bytes, heap in use, page faults.
Json memory_now();

/// Gives freed memory back to the kernel, where the C library can.
void return_freed_memory();

/// Throws Refused when the rows held at once, the index, keys and samples exceed the memory that is
/// available.
void refuse_beyond_memory(const Request& request);

}  // namespace kv
