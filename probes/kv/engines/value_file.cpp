#include "engines/value_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engines/checksum.hpp"
#include "engines/store.hpp"

namespace kv {
namespace {

constexpr std::uint32_t kMark = ~std::uint32_t{0};
constexpr char kMagic[16] = "benchbook-kv-1\n";

struct Header {
    std::uint32_t checksum;
    std::uint32_t length;
    std::uint64_t key;
};
static_assert(sizeof(Header) == 16);

std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }
std::uint64_t value_bytes(std::uint32_t length) { return length == kMark ? 0 : length; }

Header header_at(const char* record) {
    Header header{};
    std::memcpy(&header, record, sizeof header);
    return header;
}

std::uint32_t checksum_of(const char* record, std::uint32_t length) {
    return crc32c(record + sizeof(std::uint32_t),
                  sizeof(Header) - sizeof(std::uint32_t) + value_bytes(length));
}

/// Whether a whole record with the right checksum begins here.
bool is_good(const char* record, std::uint64_t left) {
    if (left < sizeof(Header)) return false;
    const Header header = header_at(record);
    if (padded(sizeof(Header) + value_bytes(header.length)) > left) return false;
    return checksum_of(record, header.length) == header.checksum;
}

[[noreturn]] void fail(const std::string& path, const char* what) {
    throw Failed(path + ": " + what + ": " + std::strerror(errno));
}

void write_all(int file, const std::string& path, std::string_view bytes, std::uint64_t at) {
    while (!bytes.empty()) {
        const ssize_t done = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (done < 0) {
            if (errno == EINTR) continue;
            fail(path, "cannot be written");
        }
        bytes.remove_prefix(static_cast<std::size_t>(done));
        at += static_cast<std::uint64_t>(done);
    }
}

}  // namespace

ValueFile::ValueFile(const std::string& path, std::uint64_t map_bytes, const Found& found)
    : path_(path), map_bytes_(map_bytes) {
    file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file_ < 0) fail(path_, "cannot be opened");
    try {
        struct stat held {};
        if (fstat(file_, &held) != 0) fail(path_, "cannot be read");
        size_ = static_cast<std::uint64_t>(held.st_size);
        if (size_ < sizeof kMagic) {  // new, or the process ended while it was made
            if (ftruncate(file_, 0) != 0) fail(path_, "cannot be cut");
            write_all(file_, path_, {kMagic, sizeof kMagic}, 0);
            size_ = sizeof kMagic;
        }
        if (size_ > map_bytes_) throw Failed(path_ + ": larger than map_bytes; give more");
        // The map may reach beyond the end of the file: what is appended later shows in it.
        void* map = mmap(nullptr, map_bytes_, PROT_READ, MAP_SHARED | MAP_NORESERVE, file_, 0);
        if (map == MAP_FAILED) fail(path_, "cannot be mapped");
        map_ = static_cast<const char*>(map);
        if (std::memcmp(map_, kMagic, sizeof kMagic) != 0) throw Failed(path_ + ": not a value file");
        recover(found);
    } catch (...) {
        if (map_ != nullptr) munmap(const_cast<char*>(map_), map_bytes_);
        close(file_);
        throw;
    }
}

ValueFile::~ValueFile() {
    munmap(const_cast<char*>(map_), map_bytes_);
    close(file_);
}

void ValueFile::recover(const Found& found) {
    std::uint64_t at = sizeof kMagic;
    while (at < size_ && is_good(map_ + at, size_ - at)) {
        const Header header = header_at(map_ + at);
        if (header.length == kMark) {
            if (header.key != records_) {
                throw Failed(path_ + ": the commit mark at byte " + std::to_string(at) + " counts " +
                             std::to_string(header.key) + " records, but " + std::to_string(records_) +
                             " are there");
            }
            recovery_.committed = records_;
        } else {
            found(header.key, at);
            ++records_;
        }
        at += padded(sizeof(Header) + value_bytes(header.length));
    }
    recovery_.records = records_;
    if (at == size_) return;
    for (std::uint64_t later = at + 8; later + sizeof(Header) <= size_; later += 8) {
        const Header header = header_at(map_ + later);
        if (header.length == kMark && header.key >= records_ && is_good(map_ + later, size_ - later)) {
            throw Failed(path_ + ": record " + std::to_string(records_) + " at byte " + std::to_string(at) +
                         " is damaged, though it was committed; restore the file");
        }
    }
    recovery_.cut_bytes = size_ - at;
    if (ftruncate(file_, static_cast<off_t>(at)) != 0) fail(path_, "cannot be cut");
    size_ = at;
}

void ValueFile::put_record(std::uint32_t length, std::uint64_t key, std::string_view value) {
    const std::size_t start = pending_.size();
    const Header header{0, length, key};
    pending_.append(reinterpret_cast<const char*>(&header), sizeof header);
    pending_.append(value);
    pending_.append(padded(value.size()) - value.size(), '\0');
    const std::uint32_t checksum = checksum_of(pending_.data() + start, length);
    std::memcpy(pending_.data() + start, &checksum, sizeof checksum);
}

std::uint64_t ValueFile::append(std::uint64_t key, std::string_view value) {
    if (value.size() >= kMark) throw Failed(path_ + ": a value of 4 GiB or more");
    const std::uint64_t offset = size_ + pending_.size();
    put_record(static_cast<std::uint32_t>(value.size()), key, value);
    ++records_;
    return offset;
}

void ValueFile::commit(bool sync) {
    put_record(kMark, records_, {});
    if (size_ + pending_.size() > map_bytes_) throw Failed(path_ + ": would exceed map_bytes; give more");
    write_all(file_, path_, pending_, size_);
    size_ += pending_.size();
    pending_.clear();
    if (sync && fdatasync(file_) != 0) fail(path_, "cannot be synced");
}

std::string_view ValueFile::read(std::uint64_t offset, std::uint64_t key, bool verify) const {
    const char* record = map_ + offset;
    const bool inside = offset <= size_ && size_ - offset >= sizeof(Header);
    const Header header = inside ? header_at(record) : Header{};
    const bool possible =
        inside && header.key == key && padded(sizeof(Header) + header.length) <= size_ - offset;
    if (!possible || (verify && checksum_of(record, header.length) != header.checksum)) {
        throw Failed(path_ + ": the record of key " + std::to_string(key) + " at byte " +
                     std::to_string(offset) + " is damaged; restore the file");
    }
    return {record + sizeof(Header), header.length};
}

std::string_view ValueFile::read_any(std::uint64_t offset, bool verify) const {
    const bool inside = offset <= size_ && size_ - offset >= sizeof(Header);
    return read(offset, inside ? header_at(map_ + offset).key : 0, verify);
}

}  // namespace kv
