// What trials have in common: store and index, filled, and what is noted of them after each phase.
#pragma once

#include <memory>
#include <random>

#include "engines/index.hpp"
#include "probe/gets.hpp"

namespace kv {

class Trial {
  protected:
    explicit Trial(Request& request);

    /// Writes and settles all rows, and fills the index.
    void load();
    /// Counters so far, under the name of the phase that has ended.
    void note(const char* phase);
    /// The settings as the engine holds them.
    void describe();

    Request& request_;
    const Data& data_;
    std::mt19937_64 random_;
    std::unique_ptr<Store> store_;
    std::unique_ptr<Index> index_;
    Measured found_;

  private:
    /// What a restarted process waits for; the files are in the page cache, where they have just been
    /// written.
    void reopen();
};

}  // namespace kv
