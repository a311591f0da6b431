#include "alex/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <new>

namespace alex {
namespace {
constexpr std::size_t kLargestMapping = std::size_t{32} << 20;
constexpr std::size_t kListEntry = 128;  // a node of both trees, with what the allocator adds
}  // namespace

void ask_for_huge_pages(void* start, std::size_t bytes) { madvise(start, bytes, MADV_HUGEPAGE); }

Arena::~Arena() {
    for (const Mapping& each : mappings_) munmap(each.start, each.bytes);
}

std::size_t Arena::bytes_total() const { return in_use_ + waiting_ + by_address_.size() * kListEntry; }

void Arena::map_more(std::size_t bytes) {
    if (left_ > 0) add_waiting(next_, left_);
    std::size_t wanted = std::max(next_mapping_, bytes);
    next_mapping_ = std::min(next_mapping_ * 2, kLargestMapping);
    // A mapping that starts in the middle of a huge page would get small pages at both ends.
    const std::size_t slack = huge_pages_ ? kHugePage : 0;
    if (huge_pages_) wanted = (wanted + kHugePage - 1) / kHugePage * kHugePage;
    void* start = mmap(nullptr, wanted + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) throw std::bad_alloc();
    mappings_.push_back({start, wanted + slack});
    auto address = reinterpret_cast<Address>(start);
    if (huge_pages_) {
        address = (address + kHugePage - 1) / kHugePage * kHugePage;
        ask_for_huge_pages(reinterpret_cast<void*>(address), wanted);
    }
    next_ = address;
    left_ = wanted;
}

void Arena::add_waiting(Address start, std::size_t bytes) {
    waiting_ += bytes;
    auto after = by_address_.lower_bound(start);
    if (after != by_address_.begin()) {
        const auto before = std::prev(after);
        if (before->first + before->second == start) {
            start = before->first;
            bytes += before->second;
            by_size_.erase({before->second, before->first});
            by_address_.erase(before);
        }
    }
    if (after != by_address_.end() && start + bytes == after->first) {
        bytes += after->second;
        by_size_.erase({after->second, after->first});
        by_address_.erase(after);
    }
    by_address_.emplace(start, bytes);
    by_size_.emplace(bytes, start);
}

void* Arena::take(std::size_t bytes) {
    const std::size_t size = rounded(bytes);
    in_use_ += size;
    // The smallest waiting block that is large enough; what is left of it waits on.
    if (const auto best = by_size_.lower_bound({size, 0}); best != by_size_.end()) {
        const auto [found, start] = *best;
        by_size_.erase(best);
        by_address_.erase(start);
        waiting_ -= found;
        if (found > size) add_waiting(start + size, found - size);
        return reinterpret_cast<void*>(start);
    }
    if (left_ < size) map_more(size);
    const Address start = next_;
    next_ += size;
    left_ -= size;
    return reinterpret_cast<void*>(start);
}

void Arena::give_back(void* block, std::size_t bytes) {
    const std::size_t size = rounded(bytes);
    in_use_ -= size;
    add_waiting(reinterpret_cast<Address>(block), size);
}

}  // namespace alex
