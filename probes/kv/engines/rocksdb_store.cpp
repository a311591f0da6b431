// RocksDB with the options that the note set, before and after its change; defaults are RocksDB's own.
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <thread>

#include "engines/options.hpp"
#include "engines/store.hpp"

namespace kv {
namespace {

using rocksdb::Slice;
using rocksdb::Status;

void must(const Status& status) {
    if (!status.ok()) throw Failed("RocksDB: " + status.ToString());
}

/// Eight bytes whose order is that of the numbers.
struct KeyBytes {
    char bytes[8];
    explicit KeyBytes(std::uint64_t key) {
        key = __builtin_bswap64(key);
        std::memcpy(bytes, &key, 8);
    }
    Slice slice() const { return {bytes, 8}; }
};

class RocksStore : public Store {
  public:
    RocksStore(const std::string& folder, rocksdb::Options options, bool sync, bool wal, Json settings)
        : options_(std::move(options)), settings_(std::move(settings)) {
        rocksdb::DB* opened = nullptr;
        must(rocksdb::DB::Open(options_, folder + "/rocksdb", &opened));
        db_.reset(opened);
        writing_.sync = sync;
        writing_.disableWAL = !wal;
    }

    void write(std::span<const Row> rows) override {
        rocksdb::WriteBatch batch;
        for (const Row& row : rows) {
            must(batch.Put(KeyBytes(row.key).slice(), Slice(row.value.data(), row.value.size())));
        }
        must(db_->Write(writing_, &batch));
    }

    bool get(std::uint64_t key, std::string& value) override {
        const Status status = db_->Get(reading_, db_->DefaultColumnFamily(), KeyBytes(key).slice(), &value);
        if (status.IsNotFound()) return false;
        must(status);
        return true;
    }

    std::size_t scan(std::uint64_t from, std::size_t limit, std::uint64_t& bytes) override {
        const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(reading_));
        std::size_t found = 0;
        for (at->Seek(KeyBytes(from).slice()); at->Valid() && found < limit; at->Next(), ++found) {
            bytes += at->value().size();
        }
        must(at->status());
        return found;
    }

    void settle(std::string_view how) override {
        if (how == "flush" || how == "compact") must(db_->Flush(rocksdb::FlushOptions()));
        if (how == "compact") {
            rocksdb::CompactRangeOptions all;
            all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
            must(db_->CompactRange(all, nullptr, nullptr));
        }
    }

    /// What is pending but not begun for a second will not be begun: a level can wait for more files.
    void rest() override {
        using namespace std::chrono_literals;
        auto worked = std::chrono::steady_clock::now();
        for (;; std::this_thread::sleep_for(1ms)) {
            const auto now = std::chrono::steady_clock::now();
            if (any({"rocksdb.num-running-compactions", "rocksdb.num-running-flushes"})) worked = now;
            if (now - worked > 1s) return;
            if (now - worked > 5ms && !any({"rocksdb.compaction-pending", "rocksdb.mem-table-flush-pending"}))
                return;
        }
    }

    Json settings() const override {
        Json all = settings_;
        std::string text;
        const rocksdb::Options held = db_->GetOptions();
        must(rocksdb::GetStringFromDBOptions(&text, rocksdb::DBOptions(held)));
        all["db_options"] = text;
        must(rocksdb::GetStringFromColumnFamilyOptions(&text, rocksdb::ColumnFamilyOptions(held)));
        all["column_family_options"] = text;
        return all;
    }

    Json counters() override {
        Json all = Json::object();
        for (const char* name : {"rocksdb.num-entries-active-mem-table", "rocksdb.num-entries-imm-mem-tables",
                                 "rocksdb.num-immutable-mem-table", "rocksdb.cur-size-all-mem-tables",
                                 "rocksdb.estimate-table-readers-mem", "rocksdb.block-cache-usage",
                                 "rocksdb.block-cache-capacity", "rocksdb.total-sst-files-size",
                                 "rocksdb.num-running-compactions", "rocksdb.num-running-flushes"}) {
            std::uint64_t value = 0;
            all[name] = db_->GetIntProperty(name, &value) ? Json(value) : Json(nullptr);
        }
        Json levels = Json::array();
        for (int level = 0; level < db_->NumberLevels(); ++level) {
            std::string files;
            if (db_->GetProperty("rocksdb.num-files-at-level" + std::to_string(level), &files)) {
                levels.push_back(std::stoull(files));
            }
        }
        all["files_at_level"] = levels;
        if (options_.statistics) {
            Json tickers = Json::object();
            for (const auto& [ticker, name] : rocksdb::TickersNameMap) {
                const std::uint64_t count = options_.statistics->getTickerCount(ticker);
                if (count > 0) tickers[name] = count;
            }
            all["tickers"] = tickers;  // those that are not 0
        }
        return all;
    }

    std::string version() const override { return rocksdb::GetRocksVersionAsString(true); }

  private:
    bool any(std::initializer_list<const char*> properties) {
        std::uint64_t value = 0;
        return std::any_of(properties.begin(), properties.end(),
                           [&](const char* each) { return db_->GetIntProperty(each, &value) && value > 0; });
    }

    rocksdb::Options options_;
    Json settings_;
    rocksdb::WriteOptions writing_;
    rocksdb::ReadOptions reading_;
    std::unique_ptr<rocksdb::DB> db_;
};

rocksdb::CompressionType compression(const std::string& name) {
    const rocksdb::CompressionType kind = name == "none"     ? rocksdb::kNoCompression
                                          : name == "snappy" ? rocksdb::kSnappyCompression
                                          : name == "lz4"    ? rocksdb::kLZ4Compression
                                                             : rocksdb::kZSTD;
    for (const rocksdb::CompressionType each : rocksdb::GetSupportedCompressions()) {
        if (each == kind) return kind;
    }
    throw Refused("this RocksDB was built without " + name);
}

}  // namespace

std::unique_ptr<Store> open_rocksdb(const std::string& folder, Json& options) {
    const Json asked = options;
    rocksdb::Options to;
    to.create_if_missing = true;
    to.write_buffer_size = take_at_least(options, "write_buffer_bytes", to.write_buffer_size, 65536);
    to.max_write_buffer_number = static_cast<int>(
        take_at_least(options, "write_buffers", static_cast<std::uint64_t>(to.max_write_buffer_number), 1));
    to.target_file_size_base = take_at_least(options, "target_file_bytes", to.target_file_size_base, 65536);
    to.max_bytes_for_level_base =
        take_at_least(options, "level_base_bytes", to.max_bytes_for_level_base, 65536);
    to.level0_file_num_compaction_trigger = static_cast<int>(take_at_least(
        options, "level0_trigger", static_cast<std::uint64_t>(to.level0_file_num_compaction_trigger), 1));
    to.level_compaction_dynamic_level_bytes =
        take(options, "dynamic_level_bytes", bool{to.level_compaction_dynamic_level_bytes});
    to.bytes_per_sync = take<std::uint64_t>(options, "bytes_per_sync", to.bytes_per_sync);
    to.max_background_jobs = static_cast<int>(
        take_at_least(options, "background_jobs", static_cast<std::uint64_t>(to.max_background_jobs), 1));
    const auto files = take<std::uint64_t>(options, "open_files", 0);
    if (files > 0) to.max_open_files = static_cast<int>(files);
    to.allow_mmap_reads = take(options, "mmap_reads", bool{to.allow_mmap_reads});
    to.use_direct_reads = take(options, "direct_reads", bool{to.use_direct_reads});
    to.compaction_style =
        take_one_of(options, "compaction", "level", {"level", "universal"}) == "universal"
            ? rocksdb::kCompactionStyleUniversal
            : rocksdb::kCompactionStyleLevel;
    to.memtable_prefix_bloom_size_ratio = take<double>(options, "memtable_bloom_ratio", 0);
    to.memtable_whole_key_filtering = to.memtable_prefix_bloom_size_ratio > 0;
    if (options.contains("compression")) {
        to.compression =
            compression(take_one_of(options, "compression", "", {"none", "snappy", "lz4", "zstd"}));
    }
    if (options.contains("bottommost_compression")) {
        to.bottommost_compression = compression(
            take_one_of(options, "bottommost_compression", "", {"none", "snappy", "lz4", "zstd"}));
    }
    if (take(options, "statistics", false)) to.statistics = rocksdb::CreateDBStatistics();

    const std::string table = take_one_of(options, "table", "block", {"block", "plain", "cuckoo"});
    if (table == "block") {
        rocksdb::BlockBasedTableOptions block;
        block.block_size = take_at_least(options, "block_bytes", block.block_size, 512);
        const auto bits = take<double>(options, "bloom_bits", 0);
        if (bits > 0) block.filter_policy.reset(rocksdb::NewBloomFilterPolicy(bits, false));
        block.cache_index_and_filter_blocks = take(options, "cache_index_and_filter_blocks", false);
        block.pin_l0_filter_and_index_blocks_in_cache = take(options, "pin_level0", false);
        if (options.contains("block_cache_bytes")) {
            const auto bytes = take<std::uint64_t>(options, "block_cache_bytes", 0);
            const int shard_bits = take(options, "cache_shard_bits", -1);  // -1: RocksDB's own choice
            if (shard_bits < -1 || shard_bits > 19) throw Refused("cache_shard_bits must be -1 to 19");
            if (bytes > 0) {
                block.block_cache = rocksdb::NewLRUCache(bytes, shard_bits);
            } else {
                block.no_block_cache = true;
            }
        }
        to.table_factory.reset(rocksdb::NewBlockBasedTableFactory(block));
    } else if (table == "plain") {
        rocksdb::PlainTableOptions plain;
        plain.user_key_len = 8;
        to.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(8));
        to.allow_mmap_reads = true;
        to.table_factory.reset(rocksdb::NewPlainTableFactory(plain));
    } else {
        to.allow_mmap_reads = true;
        to.table_factory.reset(rocksdb::NewCuckooTableFactory(rocksdb::CuckooTableOptions()));
    }
    if (table != "block") to.compression = rocksdb::kNoCompression;
    const bool sync = take(options, "sync", false);
    const bool wal = take(options, "write_ahead_log", true);
    if (sync && !wal) throw Refused("sync without write_ahead_log is impossible: turn one of them round");
    refuse_rest(options, "options");
    return std::make_unique<RocksStore>(folder, to, sync, wal, asked);
}

}  // namespace kv
