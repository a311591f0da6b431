#include "alex/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>

namespace alex {
namespace {
constexpr std::size_t kLine = 64;
constexpr std::size_t kLargestMapping = std::size_t{32} << 20;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
}  // namespace

Arena::~Arena() {
    for (const Mapping& each : mappings_) munmap(each.start, each.bytes);
}

std::size_t Arena::rounded(std::size_t bytes) {
    const std::size_t lines = std::max<std::size_t>((bytes + kLine - 1) / kLine, 1);
    if (lines <= 32) return lines * kLine;
    const std::size_t step = std::bit_floor(lines - 1) / 16;
    return (lines + step - 1) / step * step * kLine;
}

std::size_t Arena::class_of(std::size_t rounded_bytes) {
    const std::size_t lines = rounded_bytes / kLine;
    if (lines <= 32) return lines;
    const std::size_t power = std::bit_width(lines - 1) - 1;  // 2^power < lines <= 2^(power + 1)
    return 32 + (power - 5) * 16 + (lines - (std::size_t{1} << power)) / ((std::size_t{1} << power) / 16);
}

void Arena::map_more(std::size_t bytes) {
    cut_ += left_;
    std::size_t wanted = std::max(next_mapping_, bytes);
    next_mapping_ = std::min(next_mapping_ * 2, kLargestMapping);
    // A mapping that starts in the middle of a huge page would get small pages at both ends.
    const std::size_t slack = huge_pages_ ? kHugePage : 0;
    if (huge_pages_) wanted = (wanted + kHugePage - 1) / kHugePage * kHugePage;
    void* start = mmap(nullptr, wanted + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) throw std::bad_alloc();
    mappings_.push_back({start, wanted + slack});
    auto address = reinterpret_cast<std::uintptr_t>(start);
    if (huge_pages_) {
        address = (address + kHugePage - 1) / kHugePage * kHugePage;
        madvise(reinterpret_cast<void*>(address), wanted, MADV_HUGEPAGE);
    }
    next_ = reinterpret_cast<char*>(address);
    left_ = wanted;
}

void* Arena::take(std::size_t bytes) {
    const std::size_t size = rounded(bytes);
    auto& waiting = waiting_blocks_[class_of(size)];
    in_use_ += size;
    if (!waiting.empty()) {
        void* block = waiting.back();
        waiting.pop_back();
        waiting_ -= size;
        return block;
    }
    if (left_ < size) map_more(size);
    void* block = next_;
    next_ += size;
    left_ -= size;
    cut_ += size;
    return block;
}

void Arena::give_back(void* block, std::size_t bytes) {
    const std::size_t size = rounded(bytes);
    waiting_blocks_[class_of(size)].push_back(block);
    waiting_ += size;
    in_use_ -= size;
}

}  // namespace alex
