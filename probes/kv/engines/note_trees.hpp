// The two learned trees of the note under trial, re-enacted from their description: for comparison, not for
// use.
#pragma once

#include <memory>

#include "engines/index.hpp"

namespace kv {

/// A sorted list of leaves found by binary search on their least keys. Leaves: gapped arrays of optional
/// keys, 100 keys at first, half of the slots free after a layout, divided in two at 95 % density; the value
/// is a byte array on the heap, as it was there.
std::unique_ptr<Index> make_note_flat();

/// The same leaves with 64 keys each under levels of inner nodes with up to 64 children, built from sorted
/// keys. A full leaf grows; it is not divided, since the note's measurements only built this tree at once.
std::unique_ptr<Index> make_note_levels();

}  // namespace kv
