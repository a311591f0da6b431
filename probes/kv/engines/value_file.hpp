// An append-only file of checksummed values, read through a memory map; the index over it can be made again
// from it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kv {

/// Records lie one behind the other, each padded to 8 bytes: checksum (4), length (4), key (8), value. A
/// commit mark is a record without a value whose length is kMark and whose key is the number of records
/// before it.
///
/// Opening reads all records. A bad one behind the last commit mark is the torn end of a write that was never
/// acknowledged: the file is cut there. A bad one before a commit mark is damage: Failed names record and
/// place.
class ValueFile {
  public:
    struct Recovery {
        std::uint64_t records = 0;
        std::uint64_t committed = 0;  // of them, those that were acknowledged as durable
        std::uint64_t cut_bytes = 0;  // torn end that was removed
    };
    using Found = std::function<void(std::uint64_t key, std::uint64_t offset)>;

    /// Opens or makes the file; `found` sees each record in the order of writing. map_bytes bounds its size.
    ValueFile(const std::string& path, std::uint64_t map_bytes, const Found& found);
    ~ValueFile();
    ValueFile(const ValueFile&) = delete;
    ValueFile& operator=(const ValueFile&) = delete;

    /// Adds a record and gives its offset. It can be read after the next commit.
    std::uint64_t append(std::uint64_t key, std::string_view value);
    /// Writes a commit mark and all that was appended; on return it survives the end of the process, and if
    /// `sync`, the loss of power.
    void commit(bool sync);
    /// Gives back the memory that commits were gathered in.
    void free_buffer() { pending_.shrink_to_fit(); }

    /// The value at an offset that append or `found` gave, valid while the file is open. Throws Failed if the
    /// record is not of that key, or if `verify` and its checksum is wrong.
    std::string_view read(std::uint64_t offset, std::uint64_t key, bool verify) const;

    /// The same for whatever key the record is of, as a scan meets them.
    std::string_view read_any(std::uint64_t offset, bool verify) const;

    const Recovery& recovery() const { return recovery_; }
    std::uint64_t bytes() const { return size_; }

  private:
    void recover(const Found& found);
    void put_record(std::uint32_t length, std::uint64_t key, std::string_view value);

    std::string path_;
    int file_ = -1;
    std::uint64_t map_bytes_;
    const char* map_ = nullptr;
    std::uint64_t size_ = 0;  // of what is in the file
    std::string pending_;     // appended, not yet written
    std::uint64_t records_ = 0;
    Recovery recovery_;
};

}  // namespace kv
