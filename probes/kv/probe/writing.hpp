// What is written: the store that a request names, and its rows one batch at a time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engines/store.hpp"
#include "probe/request.hpp"

namespace kv {

/// nullptr for the engine "none".
std::unique_ptr<Store> open_store(const Request& request);

/// Rows of one batch, their values in one piece of memory.
class Batch {
  public:
    Batch(const Data& data, std::uint64_t first, std::uint64_t end);
    std::span<const Row> rows() const { return rows_; }

  private:
    std::string bytes_;
    std::vector<Row> rows_;
};

}  // namespace kv
