// Memory of one index: blocks in size classes out of large mappings, every byte accounted for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace alex {

/// Blocks are 64-byte aligned and never move. A freed block waits in the list of its class, so that no insert
/// ever waits for the kernel to take memory back.
class Arena {
  public:
    explicit Arena(bool huge_pages = false) : huge_pages_(huge_pages) {}
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    /// The size that a request is rounded up to: multiples of 64, at most 1/16 larger than asked for.
    static std::size_t rounded(std::size_t bytes);

    /// A block of `rounded(bytes)` bytes; throws std::bad_alloc.
    void* take(std::size_t bytes);
    void give_back(void* block, std::size_t bytes);

    std::size_t bytes_in_use() const { return in_use_; }
    /// Freed blocks that wait for reuse.
    std::size_t bytes_waiting() const { return waiting_; }
    /// All that was ever cut from mappings: in use, waiting, and the unused ends of mappings.
    std::size_t bytes_cut() const { return cut_; }

  private:
    struct Mapping {
        void* start;
        std::size_t bytes;
    };
    static std::size_t class_of(std::size_t rounded_bytes);
    void map_more(std::size_t bytes);

    bool huge_pages_;
    std::array<std::vector<void*>, 1024> waiting_blocks_;
    std::vector<Mapping> mappings_;
    char* next_ = nullptr;
    std::size_t left_ = 0;
    std::size_t next_mapping_ = std::size_t{1} << 16;
    std::size_t in_use_ = 0;
    std::size_t waiting_ = 0;
    std::size_t cut_ = 0;
};

}  // namespace alex
