// Memory of one index: blocks cut from large mappings, freed ones merged and used again, every byte accounted
// for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace alex {

/// Bytes of a huge page.
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Asks the kernel for huge pages from `start`, which begins one, on; it may give small ones instead.
void ask_for_huge_pages(void* start, std::size_t bytes);

/// Blocks are multiples of 64 bytes, aligned to 64, and never move. Nothing is returned to the kernel before
/// the end, so that no insert ever waits for that.
class Arena {
  public:
    explicit Arena(bool huge_pages) : huge_pages_(huge_pages) {}
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    static std::size_t rounded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

    /// A block of `rounded(bytes)` bytes, contents undefined; throws std::bad_alloc.
    void* take(std::size_t bytes);
    void give_back(void* block, std::size_t bytes);

    std::size_t bytes_in_use() const { return in_use_; }
    /// Freed and not yet used again.
    std::size_t bytes_waiting() const { return waiting_; }
    /// In use, waiting, and what the lists of waiting blocks take themselves.
    std::size_t bytes_total() const;

  private:
    using Address = std::uintptr_t;
    struct Mapping {
        void* start;
        std::size_t bytes;
    };
    void map_more(std::size_t bytes);
    void add_waiting(Address start, std::size_t bytes);

    bool huge_pages_;
    std::map<Address, std::size_t> by_address_;
    std::set<std::pair<std::size_t, Address>> by_size_;
    std::vector<Mapping> mappings_;
    Address next_ = 0;
    std::size_t left_ = 0;
    std::size_t next_mapping_ = std::size_t{1} << 16;
    std::size_t in_use_ = 0;
    std::size_t waiting_ = 0;
};

}  // namespace alex
